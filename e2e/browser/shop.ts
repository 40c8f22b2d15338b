import { createNamespace } from '../gateway/client.ts'
import { importRows } from '../gateway/rows.ts'
import { openSite, type Site } from './site.ts'

/** A site whose namespace `shop`, in memory, has these rows in its set `orders`. */
export async function openShop(orders: Iterable<unknown>): Promise<Site> {
  const site = await openSite()
  try {
    await createNamespace(site.gateway, { name: 'shop', storage: { engine: 'memory' } })
    await importRows(site.gateway, 'shop', 'orders', orders)
    return site
  } catch (error) {
    await site.close()
    throw error
  }
}

/** The address of a page that shows a request to the shop, or to another namespace. */
export const addressOf = ({ gateway }: Site, page: 'query' | 'streams', request: object, ns = 'shop'): string =>
  `${gateway.url}/${page}?ns=${ns}&request=${encodeURIComponent(JSON.stringify(JSON.stringify(request)))}`
