import type { NamespaceConfig } from '../../../api/types'

type DeviceFile = NonNullable<NamespaceConfig['storage']['devices']>[number]

const DEVICES = 16
const GIB = 1024 ** 3
/** A path, optionally followed by GiB. */
const line = /^(?<path>\/\S+)(?:\s+(?<gib>\d+(?:\.\d+)?))?$/

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((each) => each.trim())
    .filter((each) => each !== '')

/** The problem of the field's lines, if any. */
export function devicesProblem(text: string): string | undefined {
  const lines = linesOf(text)
  if (lines.length > DEVICES) return `At most ${DEVICES} devices`
  const wrong = lines.find((each) => !line.test(each))
  if (wrong !== undefined) return `“${wrong}” must be an absolute path, or a path and a number of GiB`
  const paths = devicesOf(text).map(({ path }) => path)
  return new Set(paths).size < paths.length ? 'The same device is listed twice' : undefined
}

export function devicesOf(text: string): DeviceFile[] {
  return linesOf(text).flatMap((each) => {
    const { path, gib } = line.exec(each)?.groups ?? {}
    if (path === undefined) return []
    return [{ path, ...(gib !== undefined && { capacityBytes: Math.round(Number(gib) * GIB) }) }]
  })
}
