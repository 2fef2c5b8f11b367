// The HTTP API as a page: every request with its fields, read from /openapi.json of this server.

import { get } from "./api.js";
import { h } from "./dom.js";

export async function apiSection(place) {
  const schema = await get("/openapi.json");
  const requests = Object.entries(schema.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, told]) => requestOf(schema, path, method, told)));
  place.replaceChildren(
    h("p", { class: "hint" }, "Requests of this server. The whole description: ",
      h("a", { href: "/openapi.json" }, "/openapi.json"), "."),
    ...requests,
  );
}

function requestOf(schema, path, method, told) {
  const fields = fieldsOf(schema, told);
  const head = `${method.toUpperCase()} ${path}`;
  return h("section", { class: "request" },
    h("h2", {}, h("code", {}, head)),
    h("p", {}, told.description ?? told.summary ?? ""),
    fields.length ? h("table", {},
      h("caption", {}, "Fields"),
      h("thead", {}, h("tr", {}, ...["name", "type", "default"].map((one) => h("th", { scope: "col" }, one)))),
      h("tbody", {}, ...fields.map(([name, field, isNeeded]) => h("tr", {},
        h("th", { scope: "row" }, h("code", {}, name)),
        h("td", {}, typeOf(schema, field)),
        h("td", {}, isNeeded ? "must be given" : JSON.stringify(field.default ?? null)))))) : null,
    method === "post" ? h("pre", { tabindex: "0" }, h("code", {}, example(path, fields))) : null,
  );
}

function fieldsOf(schema, { requestBody, parameters = [] }) {
  const body = resolved(schema, requestBody?.content?.["application/json"]?.schema ?? {});
  const kinds = (body.anyOf ?? [body]).map((one) => resolved(schema, one));
  const inBody = kinds.flatMap((kind) => Object.entries(kind.properties ?? {})
    .map(([name, field]) => [name, field, (kind.required ?? []).includes(name)]));
  const asked = parameters.map((one) => [one.name, one.schema, one.required]);
  return [...new Map([...asked, ...inBody].map((one) => [one[0], one])).values()];
}

const resolved = (schema, one) => (one.$ref ? schema.components.schemas[one.$ref.split("/").at(-1)] : one);

function typeOf(schema, field) {
  if (field.anyOf) return field.anyOf.map((one) => typeOf(schema, one)).join(" or ");
  if (field.enum) return field.enum.map((one) => JSON.stringify(one)).join(", ");
  if (field.type === "array") return `list of ${typeOf(schema, field.items ?? {})}`;
  return field.type ?? field.$ref?.split("/").at(-1) ?? "any";
}

function example(path, fields) {
  const body = Object.fromEntries(fields.filter(([, , isNeeded]) => isNeeded).map(([name]) => [name, "…"]));
  return `curl ${location.origin}${path} -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body)}'`;
}
