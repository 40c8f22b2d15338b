import type { NamespaceConfig } from '../../../api/types'

type DeviceFile = NonNullable<NamespaceConfig['storage']['devices']>[number]

const DEVICES = 16
const GIB = 1024 ** 3
/** A path, and GiB behind it. */
const line = /^(?<path>\/\S+)(?:\s+(?<gib>\d+(?:\.\d+)?))?$/

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((each) => each.trim())
    .filter((each) => each !== '')

/** What is wrong with the lines of the form's field, if anything is. */
export function devicesProblem(text: string): string | undefined {
  const lines = linesOf(text)
  if (lines.length > DEVICES) return `At most ${DEVICES}`
  const wrong = lines.find((each) => !line.test(each))
  if (wrong !== undefined) return `“${wrong}” is not an absolute path, or a path and GiB`
  const paths = devicesOf(text).map(({ path }) => path)
  return new Set(paths).size < paths.length ? 'A device is listed twice' : undefined
}

export function devicesOf(text: string): DeviceFile[] {
  return linesOf(text).flatMap((each) => {
    const { path, gib } = line.exec(each)?.groups ?? {}
    if (path === undefined) return []
    return [{ path, ...(gib !== undefined && { capacityBytes: Math.round(Number(gib) * GIB) }) }]
  })
}
