// The latest orders, as rows of a list. The browser sends the session's cookie.

import { createPortalClient, readError } from "@gift-card/portal-api";

const client = createPortalClient({ baseUrl: "https://api.example" });

export async function latestOrders(): Promise<string[]> {
  const { data, error, response } = await client.GET("/api/bff/merchant-orders", {
    params: { query: { page: 1, pageSize: 8, status: "COMPLETED" } },
  });
  if (!data) throw new Error(readError(error)?.message ?? `Status ${response.status}`);
  return data.data.orders.map(
    (order) => `${order.createdAt} ${order.buyerName ?? ""} ${order.totalAmountMinor} ${order.currency}`,
  );
}
