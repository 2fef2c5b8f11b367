// The documents of the index, a page at a time, and what was not read.

import { get } from "./api.js";
import { cited, counted, h } from "./dom.js";

const AT_ONCE = 50;

export async function documentsSection(place) {
  const words = h("input", { type: "search", id: "document-words", "aria-label": "Find a document by its title" });
  const told = h("p", { class: "hint", role: "status" });
  const list = h("ol", { class: "documents" });
  const more = h("button", { type: "button", class: "quiet", onclick: () => add() }, "Show more");
  const notRead = h("div", {});
  let asked = 0;
  async function add() {
    const mine = asked;
    const query = new URLSearchParams({ words: words.value, start: list.childElementCount, n: AT_ONCE });
    const { n_documents: n, documents, not_read: failed } = await get(`/v1/documents?${query}`);
    if (mine !== asked) return; // something else was asked for meanwhile
    list.append(...documents.map(item));
    more.hidden = list.childElementCount >= n;
    told.textContent = counted(n, "document") + (words.value ? " with these words in the title" : "");
    notRead.replaceChildren(...failures(failed));
  }
  words.addEventListener("input", () => {
    asked += 1;
    list.replaceChildren();
    add().catch((error) => { told.textContent = error.message; });
  });
  place.replaceChildren(h("label", { class: "finder" }, "Title ", words), told, list, more, notRead);
  await add();
}

const item = ({ title, place, link, n_passages: n }) => h("li", {},
  h("strong", {}, h("bdi", {}, title || "(untitled)")), " ",
  place && place !== title ? h("span", { class: "source" }, cited(place, link)) : null, " ",
  h("span", { class: "hint" }, counted(n, "passage")));

function failures(told) {
  if (!told.length) return [];
  return [h("h2", {}, "Not read"), h("ul", { class: "not-read" }, ...told.map((one) => h("li", {}, h("bdi", {}, one))))];
}
