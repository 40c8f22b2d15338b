import type { CapacityPlan, CapacityQuery } from '../../../api/types'
import { type Exact, fitsInt64, isExactObject, isIntegerText, LosslessNumber, parseExact } from '../../../records/json'
import type { NamespaceForm } from './fields'
import { t } from '../../../language/text'

type BinForm = CapacityQuery['bins'][number]

const GIB = 1024 ** 3
/**
 * What a record of the `paged` engine takes beside its bytes: in its data page, in the slot map and the tree. Measured with
 * 1.2 million records of 132 bytes, whose file was 1.15 times the sum. Smaller files have more room, up to 1.9 times with
 * 0.2 million. Each segment has an extent at least.
 */
const [CELL, INDEX, ROOM, EXTENT] = [35, 78, 1.15, 256 * 1024]

const textBytes = (text: string): number => new TextEncoder().encode(text).length

/** Bytes of a value inside a list or map. Source: the table in `docs/on-disk-format.md`. */
function encodedBytes(value: Exact): number {
  if (value === null || typeof value === 'boolean') return 1
  if (value instanceof LosslessNumber) return numberBytes(value.toString())
  if (typeof value === 'string') return stringBytes(value)
  const bytes = bytesOf(value)
  return bytes === undefined ? 5 + itemBytes(value) : 5 + bytes
}

const stringBytes = (text: string): number => {
  const length = textBytes(text)
  return length < 256 ? 2 + length : 5 + length
}

function numberBytes(text: string): number {
  if (!isIntegerText(text)) return 9
  const value = Number(text)
  if (value >= -128 && value <= 127) return 2
  return value >= -(2 ** 31) && value < 2 ** 31 ? 5 : 9
}

/** Bytes of the items of a list, or of the entries of a map. */
function itemBytes(value: Exact[] | { [name: string]: Exact }): number {
  const sum = (sizes: number[]): number => sizes.reduce((total, size) => total + size, 0)
  return Array.isArray(value)
    ? sum(value.map(encodedBytes))
    : sum(Object.entries(value).map(([name, inner]) => stringBytes(name) + encodedBytes(inner)))
}

/** Length of bytes that JSON writes as `{"$bytes": base64}`; unset: it is another value. */
function bytesOf(value: Exact): number | undefined {
  if (!isExactObject(value) || Object.keys(value).length !== 1) return undefined
  const text = value['$bytes']
  return typeof text === 'string' ? Math.floor((text.replace(/=+$/, '').length * 3) / 4) : undefined
}

function binOf([name, value]: [string, Exact]): BinForm {
  const nameBytes = textBytes(name)
  // Both are a tag without a value.
  if (value === null || typeof value === 'boolean') return { type: 'boolean', nameBytes }
  if (value instanceof LosslessNumber)
    return { type: isIntegerText(value.toString()) ? 'integer' : 'double', nameBytes }
  if (typeof value === 'string') return { type: 'string', nameBytes, bytes: textBytes(value) }
  const bytes = bytesOf(value)
  if (bytes !== undefined) return { type: 'bytes', nameBytes, bytes }
  return { type: Array.isArray(value) ? 'list' : 'map', nameBytes, bytes: itemBytes(value) }
}

/** The bins of a record that was pasted, or why it is none. */
export function binsOf(text: string): { bins: BinForm[] } | { problem: string } {
  let sample: Exact
  try {
    sample = parseExact(text)
  } catch (error) {
    return { problem: t('This is no JSON: {error}', { error: error instanceof Error ? error.message : String(error) }) }
  }
  if (!isExactObject(sample)) return { problem: t('A record is a JSON object: bin names and their values') }
  const wide = Object.entries(sample).find(
    ([, value]) => value instanceof LosslessNumber && isIntegerText(value.toString()) && !fitsInt64(value.toString()),
  )
  if (wide !== undefined) return { problem: t('The integer in {wide} has more than 64 bits', { wide: wide[0] }) }
  return { bins: Object.entries(sample).map(binOf) }
}

/** What to ask the server for. Pages have records of the size that they have in memory. */
export function sampleQuery(form: NamespaceForm, bins: BinForm[], records: number): CapacityQuery {
  const { engine, singleBin, segments } = form
  return {
    engine: engine === 'device' ? 'device' : 'memory',
    records,
    key: { type: 'string', bytes: KEY_BYTES },
    bins: singleBin
      ? bins.slice(0, 1).map(({ type, bytes }) => ({ type, ...(bytes !== undefined && { bytes }) }))
      : bins,
    ...(singleBin && { singleBin }),
    segments: Number(segments),
    ...(engine === 'device' &&
      form.writeBlockKib !== 'default' && { writeBlockBytes: Number(form.writeBlockKib) * 1024 }),
  }
}

/** Length of a key in the estimate. */
export const KEY_BYTES = 20

/** What the records take: on which medium, and which limit of the form would hold them. */
export interface Needs {
  memory: number | undefined
  disk: number | undefined
  recordsPerPage: number | undefined
  limit: Partial<NamespaceForm>
}

const upToTenths = (bytes: number): string => String(Math.ceil((bytes / GIB) * 10) / 10)

export function needsOf(form: NamespaceForm, { record, dram, flash }: CapacityPlan, records: number): Needs {
  if (form.engine === 'device' && flash !== undefined)
    return {
      memory: dram.total,
      disk: flash.total,
      recordsPerPage: undefined,
      limit: form.devices.trim() === '' ? { capacityGib: upToTenths(flash.total) } : {},
    }
  if (form.engine === 'paged') {
    const page = Number(form.pageKib) * 1024
    const fit = Math.floor(page / (record.stored + CELL))
    const disk = Math.max(records * (record.stored + CELL + INDEX) * ROOM, Number(form.segments) * EXTENT)
    return { memory: undefined, disk, recordsPerPage: fit, limit: { capacityGib: upToTenths(disk) } }
  }
  return {
    memory: dram.total,
    disk: undefined,
    recordsPerPage: undefined,
    limit: { maxMemoryGib: upToTenths(dram.records) },
  }
}
