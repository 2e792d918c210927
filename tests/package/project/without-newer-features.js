// Takes away what Safari 16.0, the oldest browser that the package supports, does not have. Import it first.

for (const [owner, names] of /** @type {[any, string[]][]} */ ([
  [AbortSignal, ["any", "timeout"]],
  [Array, ["fromAsync"]],
  [Map, ["groupBy"]],
  [Object, ["groupBy"]],
  [Promise, ["try", "withResolvers"]],
  [Response, ["json"]],
  [Set.prototype, ["difference", "intersection", "isSubsetOf", "symmetricDifference", "union"]],
  [String.prototype, ["isWellFormed", "toWellFormed"]],
  [URL, ["canParse", "parse"]],
  [Uint8Array, ["fromBase64", "fromHex"]],
  [Uint8Array.prototype, ["toBase64", "toHex"]],
])) {
  for (const name of names) delete owner[name];
}
