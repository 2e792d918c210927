// Control calls of the local system: same origin, no deployed API has them.

/** @param {string} path */
export async function getText(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${response.status} ${path}`);
  return response.text();
}

/** @param {"POST" | "PUT" | "DELETE"} method @param {string} path @param {unknown} [body] */
export async function send(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${response.status} ${path}`);
  return response.json();
}
