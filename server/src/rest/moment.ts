// Moments that a request names.

/** Unix milliseconds of a text that the `Before` schema has let through; nothing was updated before the epoch. */
export const momentOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Math.max(Date.parse(text), 0)
