import type { CapacityQuery } from '../../api/types'
import { t } from '../../language/text'
import { count } from '../../format'

export type BinType = CapacityQuery['bins'][number]['type']
export const binTypes = ['integer', 'double', 'boolean', 'string', 'bytes', 'list', 'map'] as const satisfies BinType[]
/** Types that need a size. */
export const sized = (type: BinType): boolean => ['string', 'bytes', 'list', 'map'].includes(type)

export interface BinRow {
  type: BinType
  nameBytes: string
  bytes: string
}

/** The form's values as typed; numbers stay text until the request. */
export interface CapacityForm {
  engine: 'memory' | 'device'
  records: string
  keyType: 'integer' | 'string' | 'bytes'
  keyBytes: string
  bins: BinRow[]
  singleBin: boolean
  sets: string
  setNameBytes: string
  setIndexes: boolean
  segments: string
  replication: string
  readsPerSecond: string
  writesPerSecond: string
  utilisationPercent: string
  writeBlockKib: string
}

export const firstForm: CapacityForm = {
  engine: 'device',
  records: '100000000',
  keyType: 'string',
  keyBytes: '20',
  bins: [{ type: 'map', nameBytes: '7', bytes: '1000' }],
  singleBin: false,
  sets: '1',
  setNameBytes: '8',
  setIndexes: false,
  segments: '256',
  replication: '1',
  readsPerSecond: '50000',
  writesPerSecond: '5000',
  utilisationPercent: '80',
  writeBlockKib: '128',
}

type NumberField = Exclude<
  keyof CapacityForm,
  'engine' | 'keyType' | 'bins' | 'singleBin' | 'setIndexes' | 'segments' | 'writeBlockKib'
>
export type Problems = Partial<Record<NumberField | `${'name' | 'value'}${number}`, string>>

const ranges: Record<NumberField, readonly [least: number, most: number]> = {
  records: [1, 1e12],
  keyBytes: [1, 8192],
  sets: [0, 65_534],
  setNameBytes: [1, 63],
  replication: [1, 8],
  readsPerSecond: [0, 1e9],
  writesPerSecond: [0, 1e9],
  utilisationPercent: [1, 99],
}

const within = (text: string, [least, most]: readonly [number, number]): boolean =>
  /^\d{1,13}$/.test(text) && Number(text) >= least && Number(text) <= most

export function problemsOf(form: CapacityForm): Problems {
  const problems: Problems = {}
  for (const [field, range] of Object.entries(ranges) as [NumberField, readonly [number, number]][]) {
    if (field === 'keyBytes' && form.keyType === 'integer') continue
    if (!within(form[field], range))
      problems[field] = t('{value} to {value2}', {
        value: count(range[0]),
        value2: count(range[1]),
      })
  }
  for (const [at, { type, nameBytes, bytes }] of form.bins.entries()) {
    if (!form.singleBin && !within(nameBytes, [1, 255])) problems[`name${at}`] = 'Name 1 to 255 bytes'
    if (sized(type) && !within(bytes, [0, 8 * 1024 * 1024])) problems[`value${at}`] = t('Value up to 8 MiB')
  }
  return problems
}

export function queryOf(form: CapacityForm): CapacityQuery {
  const device = form.engine === 'device'
  return {
    engine: form.engine,
    records: Number(form.records),
    key: { type: form.keyType, ...(form.keyType !== 'integer' && { bytes: Number(form.keyBytes) }) },
    bins: form.bins.map(({ type, nameBytes, bytes }) => ({
      type,
      ...(!form.singleBin && { nameBytes: Number(nameBytes) }),
      ...(sized(type) && { bytes: Number(bytes) }),
    })),
    ...(form.singleBin && { singleBin: true }),
    sets: Number(form.sets),
    setNameBytes: Number(form.setNameBytes),
    ...(form.setIndexes && { setIndexes: true }),
    segments: Number(form.segments),
    replication: Number(form.replication),
    ...(device && {
      readsPerSecond: Number(form.readsPerSecond),
      writesPerSecond: Number(form.writesPerSecond),
      utilisationPercent: Number(form.utilisationPercent),
      writeBlockBytes: Number(form.writeBlockKib) * 1024,
    }),
  }
}
