// Lists in pages, as one iterator.
import type { Client } from './client.js'
import type { Answer, Args, Given, Operation, OperationId } from './operation.js'

interface Page {
  items: unknown[]
  cursor?: string
}

/** Operations that answer a page of a list. */
export type PagedId = { [Id in OperationId]: Answer<Id> extends Page ? Id : never }[OperationId]

type Item<Id extends OperationId> = Answer<Id> extends { items: (infer One)[] } ? One : never

/** The items of a list, page by page; the next page is read when the items of this one are used up. */
export async function* items<Id extends PagedId>(
  client: Client,
  operation: Operation<Id>,
  ...[args]: Given<Id>
): AsyncGenerator<Item<Id>, void, undefined> {
  let cursor: string | undefined
  do {
    const { query, ...others } = { ...args } as Partial<Args<Id>>
    const asked = { ...others, query: { ...query, ...(cursor !== undefined && { cursor }) } } as Args<Id>
    const page = (await client.call(operation, ...([asked] as unknown as Given<Id>))) as Page
    yield* page.items as Item<Id>[]
    cursor = page.cursor
  } while (cursor !== undefined)
}
