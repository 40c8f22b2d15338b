// Points in time in requests.

/** Unix milliseconds of a text that passed the `Before` schema. Nothing was updated before the epoch. */
export const momentOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Math.max(Date.parse(text), 0)
