// Points in time in requests, by one rule: RFC 3339 (`docs/query.md`, Times). The core reads those of filters alike.

/** The moment without its offset, fraction, and offset; each part still has to be legal. */
const RFC_3339 = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/
/** The years 1 to 9999: times with others have more than four digits. */
const EARLIEST_MS = Date.parse('0001-01-01T00:00:00Z')
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** Unix milliseconds of a time; what is finer is left out. `undefined`: it is none. */
export function parseMoment(text: string): number | undefined {
  const match = RFC_3339.exec(text)
  if (match === null) return undefined
  const [, date, time, fraction = '', sign, hours, minutes] = match
  const utc = `${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
  const local = new Date(utc)
  // JavaScript reads the 30th of February as the 2nd of March, and 24:00 as the next day.
  if (Number.isNaN(local.getTime()) || local.toISOString() !== utc) return undefined
  const aheadMs = sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000
  const ms = local.getTime() - aheadMs
  return ms >= EARLIEST_MS && ms <= LATEST_MS ? ms : undefined
}

/** Unix milliseconds of a text that passed a schema of format `date-time`. */
export function momentMs(text: string): number {
  const ms = parseMoment(text)
  if (ms === undefined) throw new TypeError(`no schema checked the time ${text}`)
  return ms
}

/** As `momentMs`, for what the core counts from the epoch on: nothing was updated or created before. */
export const momentOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Math.max(momentMs(text), 0)
