import type { CapacityPlan, CapacityQuery } from '../../api/types'
import type { ChartSpec, XAxis } from '../../charts/spec/spec'
import { type CapacityForm, queryOf } from './capacity-form'
import { t } from '../../language/text'

/** Where the curves are worked out, in half powers of ten of the form's number of records. */
const HALF_POWERS = [-4, -3, -2, -1, 0, 1, 2]
const MOST_RECORDS = 1e12
const GIB = 1024 ** 3

const engines = ['memory', 'device'] as const

/** The form's records with both engines, in numbers around its own, which is among them. */
export function curveQueries(form: CapacityForm): CapacityQuery[] {
  const all = HALF_POWERS.map((half) => Math.round(Number(form.records) * 10 ** (half / 2)))
  return [...new Set(all.filter((one) => one >= 1 && one <= MOST_RECORDS))].flatMap((records) =>
    engines.map((engine) => queryOf({ ...form, engine, records: String(records) })),
  )
}

/** What each engine needs at each number of records. */
export type Curve = readonly { records: number; memory: CapacityPlan; device: CapacityPlan }[]

export function curveOf(plans: readonly { query: CapacityQuery; plan: CapacityPlan }[]): Curve {
  return [...new Set(plans.map(({ query }) => query.records))].flatMap((records) => {
    const [memory, device] = engines.map(
      (engine) => plans.find(({ query }) => query.records === records && query.engine === engine)?.plan,
    )
    return memory === undefined || device === undefined ? [] : [{ records, memory, device }]
  })
}

/** What a GiB costs, in any currency. */
export interface Prices {
  dram: number
  flash: number
}

const axis = (curve: Curve): XAxis => ({
  name: 'records',
  titled: true,
  scale: 'log',
  format: 'count',
  values: curve.map(({ records }) => records),
})

const marked = (records: number) => [{ at: records, name: t('the number in the form') }]

/** Memory and flash over records. */
export function bytesSpec(curve: Curve, records: number): ChartSpec {
  return {
    x: axis(curve),
    y: { scale: 'log', format: 'bytes' },
    series: [
      {
        id: 'memory',
        name: t('memory: DRAM'),
        colour: 1,
        look: 'points',
        values: curve.map(({ memory }) => memory.dram.total),
      },
      {
        id: 'device',
        name: t('device: DRAM'),
        colour: 2,
        look: 'points',
        values: curve.map(({ device }) => device.dram.total),
      },
      {
        id: 'flash',
        name: t('device: flash'),
        colour: 3,
        look: 'points',
        values: curve.map(({ device }) => device.flash?.total ?? null),
      },
    ],
    marks: marked(records),
  }
}

/** What both engines cost over records, and how many times as much memory alone costs. */
export function costSpec(curve: Curve, records: number, { dram, flash }: Prices): ChartSpec {
  const cost = ({ dram: memory, flash: disk }: CapacityPlan): number =>
    (memory.total * dram + (disk?.total ?? 0) * flash) / GIB
  const [memory, device] = engines.map((engine) => curve.map((point) => cost(point[engine])))
  return {
    x: axis(curve),
    y: { scale: 'log', format: 'plain' },
    series: [
      { id: 'memory', name: t('memory'), colour: 1, look: 'points', values: memory ?? [] },
      { id: 'device', name: t('device'), colour: 2, look: 'points', values: device ?? [] },
    ],
    facts: [
      {
        name: 'memory / device',
        format: 'times',
        values: (memory ?? []).map((one, at) => {
          const other = device?.[at] ?? 0
          return other > 0 ? one / other : null
        }),
      },
    ],
    marks: marked(records),
  }
}

/** A price as typed; undefined if it is none. */
export function priceOf(text: string): number | undefined {
  return /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined
}
