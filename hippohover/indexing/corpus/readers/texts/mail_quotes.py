"""What a message quotes, which is left out, and what it forwards, which is its content."""

import re
from typing import Final

_SUBJECTS: Final = (
    "fw|fwd|wg|tr|rv|rsv|enc|doorst|vb|vs|vl|pd|i|ilt|i̇lt|fs|πρθ|пересл|hwd|továbbítás"
    "|转发|轉寄|轉發|転送|전달"
)
_FORWARD = re.compile(rf"\s*(?:\[[^\[\]\n]{{1,60}}\]\s*)?(?:{_SUBJECTS})\s?(?:\[\d+\])?[:：]", re.I)
_ORIGINALS: Final = (
    "Original Message|Original Appointment|Original E-?mail"
    "|Ursprüngliche Nachricht|Original-?Nachricht|Ursprünglicher Termin"
    "|Message d['’]origine|Message original|Message initial|Mensaje original|Messaggio originale"
    "|Mensagem original|Oorspronkelijk bericht|Ursprungligt meddelande|Oprindelig meddelelse"
    "|Opprinnelig melding|Alkuperäinen viesti|Wiadomość oryginalna|Oryginalna wiadomość"
    "|Původní zpráva|Pôvodná správa|Eredeti üzenet|Mesaj original|Orijinal Mesaj|Özgün İleti"
    "|Αρχικό μήνυμα|Исходное сообщение|Оригінальне повідомлення|原始邮件|邮件原件|原始郵件"
    "|元のメッセージ|원본 메시지|원본 메일"
)
_FORWARDS: Final = (
    "Forwarded [Mm]essage|Weitergeleitete Nachricht|Message transféré|Message transmis"
    "|Mensaje reenviado|Messaggio inoltrato|Mensagem encaminhada|Doorgestuurd bericht"
    "|Vidarebefordrat meddelande|Vidarebefordrat mail|Videresendt meddelelse|Videresendt melding"
    "|Wiadomość przekazana|Przekazana wiadomość|Přeposlaná zpráva|Továbbított üzenet"
    "|Välitetty viesti|İletilmiş mesaj|Пересылаемое сообщение|Пересланное сообщение"
    "|转发的邮件|轉寄的郵件|転送メッセージ|전달된 메시지"
)
_BEGINS: Final = (
    "Begin forwarded message|Anfang der weitergeleiteten (?:Nachricht|E-Mail)"
    "|Début du message (?:réexpédié|transféré)|Inicio del mensaje reenviado"
    "|Inizio messaggio inoltrato|Início da mensagem reencaminhada|Begin doorgestuurd bericht"
)
_SENDERS: Final = "From|Von|De|Da|Van|Från|Fra|Od|От|Feladó|Lähettäjä"
_SENT: Final = (
    "Sent|Date|Gesendet|Datum|Envoyé|Enviad[oa]|Fecha|Data|Inviato|Verzonden|Skickat|Sendt|Dato"
    "|Wysłano|Odesláno|Отправлено|Дата|Elküldve|Lähetetty"
)
_ORIGINAL = re.compile(rf"^-{{2,}}[ ]?(?:{_ORIGINALS})[ ]?-{{2,}}", re.M | re.I)
_FORWARDED = re.compile(
    rf"^[ \t]{{0,3}}(?:-{{2,}}[ ]?(?:{_FORWARDS})[ ]?-{{2,}}|(?:{_BEGINS})[ ]?:)", re.M
)
# As Outlook begins it below a rule, or below nothing.
_HEADERS = re.compile(
    rf"^(?:_{{5,}}[ \t]*\n+)?\*?(?:{_SENDERS})[ ]?:\*?[ \t][^\n]+\n"
    rf"(?:[^\n:]{{1,30}}:[^\n]*\n)?\*?(?:{_SENT})[ ]?:",
    re.M,
)
# On Monday, Tom Ashe <tom@x.org> wrote:, on one line or, where it begins so, on two.
_WROTE = re.compile(
    r"^(?:(?:On|Am|Le|El|Il|Op|Em|Den) [^\n]{1,200}\n(?!>))?(?!>)[^\n]{0,300}:[ \t]*\n"
    r"(?:[ \t]*\n)?(?=>)",
    re.M,
)
_QUOTED = re.compile(r"^[ \t]*>[^\n]*\n?", re.M)
_QUOTE_MARK = re.compile(r"^(?:>[ \t]?)+", re.M)
_SIGNATURE = re.compile(r"^-- ?\n", re.M)
_SIGNATURE_LINES: Final = 15


def is_forward(subject: str) -> bool:
    """Return whether a subject says that a message is passed on: "FW: Rates", "WG: Rates"."""
    return bool(_FORWARD.match(subject))


def says_forwarded(text: str) -> bool:
    """Return whether a line of a text says that a forwarded message begins."""
    return bool(_FORWARDED.search(text))


def without_quotes(text: str, subject: str) -> str:
    """Remove quoted text and the signature, unless nothing else is left.

    What is forwarded is kept with what it quotes in its turn: no other message of its reader has
    that text.
    """
    begins = _FORWARDED.search(text)
    if is_forward(subject):
        marks = (mark.search(text) for mark in (_FORWARDED, _ORIGINAL, _HEADERS))
        begins = min(filter(None, marks), key=re.Match.start, default=None)
        if begins is None:
            return _without_signature(text).strip() or text.strip()
    if begins is None:
        return _own(text) or text.strip()
    above, below = text[: begins.start()], text[begins.start() :]
    return f"{_own(above)}\n\n{_QUOTE_MARK.sub('', below).strip()}".strip()


def _own(text: str) -> str:
    """Return what a text has beside quotes and a signature."""
    own = _without_signature(text)
    if original := _ORIGINAL.search(own):
        own = own[: original.start()]
    own = _QUOTED.sub("", _WROTE.sub("", own))
    return re.sub(r"\n{3,}", "\n\n", own).strip()


def _without_signature(text: str) -> str:
    *_, border = [len(text), *(match.start() for match in _SIGNATURE.finditer(text))]
    return text[:border] if text.count("\n", border) <= _SIGNATURE_LINES else text
