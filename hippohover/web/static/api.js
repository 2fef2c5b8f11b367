// The HTTP API: one answer a call, its progress on the way; an abort ends the work on the server.

export class Problem extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

const BROKEN = "the connection broke before the answer was complete: check that the server is running "
  + "and ask again";
const TOKEN = "hippohover-token";
export const keepToken = (token) => sessionStorage.setItem(TOKEN, token);

function headers(accept) {
  const token = sessionStorage.getItem(TOKEN);
  return {
    Accept: accept,
    "Content-Type": "application/json",
    ...(token ? { Authorization: `Bearer ${token}` } : {}),
  };
}

async function refused(response) {
  let detail = `the server answered with status ${response.status}`;
  try {
    detail = (await response.json()).detail ?? detail;
  } catch {
    // a proxy's page, say: the status has to do
  }
  return new Problem(response.status, detail);
}

async function sent(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, "the server does not answer: check that it is running");
  }
}

async function piece(reader) {
  try {
    return await reader.read();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, BROKEN);
  }
}

export async function get(path) {
  const response = await sent(path, { headers: headers("application/json") });
  if (!response.ok) throw await refused(response);
  return response.json();
}

export async function post(path, body, { signal, tell = () => {} } = {}) {
  const response = await sent(path, {
    method: "POST",
    headers: headers("application/x-ndjson"),
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw await refused(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await piece(reader);
    if (done) throw new Problem(0, BROKEN);
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      if (message.error) throw new Problem(message.error.status, message.error.detail);
      if (message.result) return message.result;
      tell(message);
    }
  }
}
