// Receives webhooks in a worker of a content delivery network, which leaves the work to a queue.

import { verifyWebhook, WebhookError } from "@gift-card/portal-api/webhooks";

interface Env {
  /** Two while they are rotated, with a space between. */
  WEBHOOK_SECRETS: string;
  QUEUE: { send(message: unknown): Promise<unknown> };
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    try {
      const secrets = env.WEBHOOK_SECRETS.split(" ");
      const message = await verifyWebhook(request.headers, await request.arrayBuffer(), secrets);
      await env.QUEUE.send(message);
      return new Response(null, { status: 204 });
    } catch (error) {
      if (error instanceof WebhookError) return new Response(error.message, { status: error.status });
      throw error;
    }
  },
};
