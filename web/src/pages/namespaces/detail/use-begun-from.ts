import { useState } from 'react'

/**
 * The version that an edit began from: what is read while it lasts can be somebody else's. After a failure it is the
 * newest, because its values are on the page beside the failure.
 */
export function useBegunFrom(
  newest: string | undefined,
  edit: { edited: boolean; failed: boolean },
): string | undefined {
  const [begun, setBegun] = useState(newest)
  const stays = edit.edited && !edit.failed && begun !== undefined
  if (!stays && newest !== undefined && newest !== begun) setBegun(newest)
  return begun
}
