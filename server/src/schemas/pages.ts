// Lists in pages.
import { type TSchema, Type } from 'typebox'

export const PageQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000, description: 'most items in the answer' })),
    cursor: Type.Optional(Type.String({ maxLength: 512, description: "the previous page's cursor" })),
  },
  { additionalProperties: false },
)

/** A page of items: `truncated` says that more follow, `cursor` where they start. */
export function page<T extends TSchema>(item: T, title: string) {
  return Type.Object(
    {
      items: Type.Array(item),
      truncated: Type.Boolean(),
      cursor: Type.Optional(Type.String()),
      limit: Type.Integer(),
    },
    { title },
  )
}
