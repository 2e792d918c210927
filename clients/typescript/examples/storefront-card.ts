// A gift card of a public catalogue, for a card in a shop window. Nobody is signed in.

import { createPortalClient } from "@gift-card/portal-api";

const client = createPortalClient({ baseUrl: "https://api.example" });

export interface Card {
  title: string;
  from: number;
  popular: number | null;
  background: string;
}

export async function cards(slug: string): Promise<Card[]> {
  const params = { path: { slug } };
  const [merchant, catalog] = await Promise.all([
    client.GET("/api/merchants/{slug}", { params }),
    client.GET("/api/merchants/{slug}/catalog", { params }),
  ]);
  if (!merchant.data || !catalog.data) return [];
  const { primaryColor } = merchant.data.data;
  const { popularAmount } = catalog.data.meta;
  return catalog.data.data.map((item) => ({
    title: item.name,
    from: Math.min(...item.priceOptions),
    popular: popularAmount ?? null,
    background: primaryColor ?? "#1f4e5f",
  }));
}
