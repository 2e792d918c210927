// What the reference uses of /reference/scalar.js.
declare const Scalar: { createApiReference(target: string, options: Readonly<Record<string, unknown>>): unknown };
