// Lists in pages.
import { type TSchema, Type } from 'typebox'
import { text } from './quantities.js'

/** Cursor of the next page. */
export const NextCursor = Type.Optional(text('Pass it as `cursor` to get the next page. Unset on the last page.'))

export const Truncated = Type.Boolean({ description: 'True if more follow this page.' })

export const PageQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 5000,
        description: 'Most items in the answer, 1 to 5000. Default: 500.',
        examples: [100],
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        maxLength: 512,
        description: 'The `cursor` of the previous page. Unset: the first page.',
        examples: ['MDAwMQ'],
      }),
    ),
  },
  { additionalProperties: false },
)

/** A page of items; its example is the example of an item. */
export function page<T extends TSchema>(item: T, title: string, what: string) {
  const { examples } = item as { examples?: unknown[] }
  return Type.Object(
    {
      items: Type.Array(item, { description: `The ${what} of this page.` }),
      truncated: Truncated,
      cursor: NextCursor,
      limit: Type.Integer({ description: 'The page size that was applied.' }),
    },
    {
      title,
      description: `A page of ${what}.`,
      ...(examples !== undefined && { examples: [{ items: examples, truncated: false, limit: 500 }] }),
    },
  )
}
