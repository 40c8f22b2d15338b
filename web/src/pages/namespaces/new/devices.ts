import type { NamespaceConfig } from '../../../api/types'
import { t } from '../../../language/text'

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
  if (lines.length > DEVICES) return t('At most {devices} devices', { devices: DEVICES })
  const wrong = lines.find((each) => !line.test(each))
  if (wrong !== undefined) return t('“{wrong}” must be an absolute path, or a path and a number of GiB', { wrong })
  const paths = devicesOf(text).map(({ path }) => path)
  return new Set(paths).size < paths.length ? t('The same device is listed twice') : undefined
}

export function devicesOf(text: string): DeviceFile[] {
  return linesOf(text).flatMap((each) => {
    const { path, gib } = line.exec(each)?.groups ?? {}
    if (path === undefined) return []
    return [{ path, ...(gib !== undefined && { capacityBytes: Math.round(Number(gib) * GIB) }) }]
  })
}
