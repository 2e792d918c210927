// What became of a change whose answer is lost, as the session shows it.

import { api, call, Problem } from "../shell/api.js";

export const readSession = () => call(() => api.GET("/api/auth/session"), { signIn: false });

export async function isSignedOut() {
  const problem = await readSession().catch((failure) => failure);
  return problem instanceof Problem && problem.status === 401;
}
