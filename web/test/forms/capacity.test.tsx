import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { CapacityPage } from '../../src/pages/capacity/CapacityPage'
import type { CapacityQuery } from '../../src/api/types'
import { faultOf } from '../ui/description'
import { Staged } from '../charts/stage'
import { type Answers, Gateway, json, refusal, type Sent } from './gateway'
import { show, takeClock } from './page'
import { pick } from '../ui/pick'

const ASK = 'POST /api/v1/capacity'
const plan = {
  record: { stored: 1088, binValues: 1003, binNames: 12, key: 22, header: 40, setName: 0, padding: 11 },
  dram: {
    total: 6.5 * 1024 ** 3,
    perRecord: 69.8,
    records: 0,
    primaryIndex: 6.25 * 1024 ** 3,
    setIndexes: 0,
    sets: 1024,
    buffers: 0.25 * 1024 ** 3,
  },
  flash: { total: 2 * 1024 ** 4, perRecord: 1370, live: 1.5 * 1024 ** 4, blocks: 1.6 * 1024 ** 4 },
  device: {
    readIops: 50_000,
    readBytesPerSecond: 1024 ** 2,
    writeIops: 45.2,
    writeBytesPerSecond: 2 * 1024 ** 2,
    writeAmplification: 2.5,
  },
}
const { flash: _, device: __, ...inMemory } = plan

async function open(answers: Answers = {}) {
  const gateway = new Gateway({ [ASK]: plan, ...answers })
  const { user } = await show(CapacityPage, '/capacity')
  await waitFor(() => expect(own(gateway)).toHaveLength(1))
  return { gateway, user }
}

const field = (name: string): HTMLInputElement => screen.getByLabelText(name)
const alerts = (): (string | null)[] => screen.queryAllByRole('alert').map(({ textContent }) => textContent)
const tile = (name: string): string | null | undefined =>
  screen.getByText(name, { selector: 'small' }).parentElement?.textContent
/** The requests for the form's own records and engine. The others are for the charts. */
const own = (gateway: Gateway): CapacityQuery[] =>
  (gateway.bodies(ASK) as CapacityQuery[]).filter(
    ({ records, engine }) =>
      records === Number(field('Records').value.replaceAll(',', '')) &&
      screen.getByRole<HTMLInputElement>('radio', { name: engine }).checked,
  )
const last = (gateway: Gateway): CapacityQuery | undefined => own(gateway).at(-1)
/** The call that the page shows for the command line. */
const call = (): string | null => screen.getByLabelText('The same call with curl').textContent

test('asks at once for the plan of its first values, in the units of the API, and shows it', async () => {
  const { gateway } = await open()
  expect(last(gateway)).toEqual({
    engine: 'device',
    records: 100_000_000,
    key: { type: 'string', bytes: 20 },
    bins: [{ type: 'map', nameBytes: 7, bytes: 1000 }],
    sets: 1,
    setNameBytes: 8,
    segments: 256,
    replication: 1,
    readsPerSecond: 50_000,
    writesPerSecond: 5000,
    utilisationPercent: 80,
    writeBlockBytes: 128 * 1024,
  })
  await screen.findByText('DRAM')
  expect(tile('DRAM')).toBe('DRAM6.50 GiB69.8 B per record and copy')
  expect(tile('Flash')).toBe('Flash2.00 TiB1,370 B per record and copy')
  expect(tile('Device writes')).toBe('Device writes45/s2.00 MiB/s, in write blocks')
  expect(screen.getByRole('region', { name: 'One record' }).textContent).toContain('1,088 bytes as stored')
  expect(screen.getByRole('region', { name: 'Flash' }).textContent).toContain('write amplification2.50')
})

test('records in memory need no flash, and no traffic is asked for', async () => {
  const answer = ({ body }: Sent) => json((JSON.parse(body) as CapacityQuery).engine === 'memory' ? inMemory : plan)
  const { gateway, user } = await open({ [ASK]: answer })
  await user.click(screen.getByRole('radio', { name: 'memory' }))
  expect(screen.queryByLabelText('Reads per second')).toBeNull()
  await waitFor(() => expect(tile('Flash')).toBe('Flashnonerecords live in memory'))
  expect(last(gateway)).toEqual({
    engine: 'memory',
    records: 100_000_000,
    key: { type: 'string', bytes: 20 },
    bins: [{ type: 'map', nameBytes: 7, bytes: 1000 }],
    sets: 1,
    setNameBytes: 8,
    segments: 256,
    replication: 1,
  })
})

test.each(['abc', '', '1e9999', '-5'])('a number of records that is none has no short form: %j', async (typed) => {
  const { user } = await open()
  await user.clear(field('Records'))
  if (typed !== '') await user.type(field('Records'), typed)
  expect(faultOf(field('Records'))).toBe('1 to 1,000,000,000,000')
  expect(document.body.textContent).not.toMatch(/NaN|Infinity|-5 /)
})

test('what is typed is in the call at once, and is asked for after a pause', async () => {
  const { gateway, user } = await open()
  await user.clear(field('Records'))
  await user.type(field('Records'), '5000')
  await pick(user, field('Key type'), 'integer')
  expect(screen.queryByLabelText('Key length, bytes')).toBeNull()
  await pick(user, field('Segments'), '1024')
  await user.click(screen.getByRole('checkbox', { name: 'Set indexes' }))
  await pick(user, field('Write block, KiB'), '1024')
  expect(call()).toContain('"records":5000')
  await waitFor(() =>
    expect(last(gateway)).toMatchObject({
      records: 5000,
      key: { type: 'integer' },
      segments: 1024,
      setIndexes: true,
      writeBlockBytes: 1024 ** 2,
    }),
  )
  expect(last(gateway)).not.toHaveProperty('key.bytes')
})

test('bins are added and removed, and types of a fixed size have no length', async () => {
  const { gateway, user } = await open()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Remove bin 1' }).disabled).toBe(true)
  await user.click(screen.getByRole('button', { name: 'Add a bin' }))
  await pick(user, field('Type of bin 2'), 'integer')
  expect([field('Value length of bin 2, bytes').disabled, field('Value length of bin 2, bytes').value]).toEqual([
    true,
    'fixed',
  ])
  await waitFor(() =>
    expect(last(gateway)).toMatchObject({
      bins: [
        { type: 'map', nameBytes: 7, bytes: 1000 },
        { type: 'integer', nameBytes: 8 },
      ],
    }),
  )
  await user.click(screen.getByRole('button', { name: 'Remove bin 1' }))
  await waitFor(() => expect(last(gateway)).toMatchObject({ bins: [{ type: 'integer', nameBytes: 8 }] }))
})

test('a single bin is stored without its name, and is the only one', async () => {
  const { gateway, user } = await open()
  await user.click(screen.getByRole('button', { name: 'Add a bin' }))
  await user.click(screen.getByRole('checkbox', { name: /^Single bin/ }))
  expect(screen.queryByLabelText('Type of bin 2')).toBeNull()
  expect(screen.queryByRole('button', { name: 'Add a bin' })).toBeNull()
  expect(field('Name length of bin 1, bytes').disabled).toBe(true)
  await waitFor(() => expect(last(gateway)).toMatchObject({ singleBin: true, bins: [{ type: 'map', bytes: 1000 }] }))
  expect(last(gateway)).not.toHaveProperty('bins.0.nameBytes')
})

const bounds = [
  ['Records', '', '1 to 1,000,000,000,000'],
  ['Records', '0', '1 to 1,000,000,000,000'],
  ['Copies', '9', '1 to 8'],
  ['Sets', '65535', '0 to 65,534'],
  ['Set name, bytes', '64', '1 to 63'],
  ['Key length, bytes', '1.5', '1 to 8,192'],
  ['Reads per second', 'many', '0 to 1,000,000,000'],
  ['Flash in use, percent', '100', '1 to 99'],
] as const

test('what is out of its bounds is refused at its field, and nothing is asked for', async () => {
  const { pass } = takeClock()
  const { gateway } = await open()
  for (const [name, text, words] of bounds) {
    const before = field(name).value
    fireEvent.change(field(name), { target: { value: text } })
    pass()
    expect([name, ...alerts(), field(name).getAttribute('aria-invalid')]).toEqual([name, words, 'true'])
    expect([screen.queryByText('Correct the marked fields.') === null, screen.queryByText('DRAM')]).toEqual([
      false,
      null,
    ])
    fireEvent.change(field(name), { target: { value: before } })
    expect(alerts()).toEqual([])
  }
  fireEvent.change(field('Copies'), { target: { value: '6' } })
  await waitFor(() => expect(last(gateway)).toMatchObject({ replication: 6 }))
  expect(own(gateway)).toHaveLength(2)
})

test('a bin that cannot be is refused at its row, and nothing is asked for', async () => {
  const { pass } = takeClock()
  const { gateway } = await open()
  for (const [part, text, words] of [
    ['Name', '0', 'Bin 1: Name 1 to 255 bytes'],
    ['Name', '256', 'Bin 1: Name 1 to 255 bytes'],
    ['Value', '8388609', 'Bin 1: Value up to 8 MiB'],
    ['Value', '', 'Bin 1: Value up to 8 MiB'],
  ] as const) {
    const input = field(`${part} length of bin 1, bytes`)
    const before = input.value
    fireEvent.change(input, { target: { value: text } })
    pass()
    expect([faultOf(input), ...alerts()]).toEqual([words, words])
    expect(screen.getByText('Correct the marked fields.')).toBeTruthy()
    fireEvent.change(input, { target: { value: before } })
    expect([faultOf(input), ...alerts()]).toEqual([undefined])
  }
  fireEvent.change(field('Value length of bin 1, bytes'), { target: { value: '9' } })
  await waitFor(() => expect(last(gateway)).toMatchObject({ bins: [{ bytes: 9 }] }))
  expect(own(gateway)).toHaveLength(2)
})

test('a refusal takes the place of the plan, and goes with the next answer', async () => {
  const { gateway, user } = await open()
  await screen.findByText('DRAM')
  gateway.answers[ASK] = () => refusal(422, 'field_invalid', 'Too many records.', 'records')
  await user.type(field('Records'), '1')
  await screen.findByText('Too many records.')
  expect(screen.queryByText('DRAM')).toBeNull()
  gateway.answers[ASK] = plan
  await user.type(field('Records'), '{Backspace}2')
  await screen.findByText('DRAM')
  expect(screen.queryByText('Too many records.')).toBeNull()
})

test('charts compare both engines around the number of records, at prices of one’s own', async () => {
  const staged = new Staged()
  const gateway = new Gateway({
    [ASK]: ({ body }: Sent) => {
      const { engine, records } = JSON.parse(body) as CapacityQuery
      const dram = { ...plan.dram, total: records * (engine === 'memory' ? 1000 : 64) }
      return json(
        engine === 'memory'
          ? { ...inMemory, dram }
          : { ...plan, dram, flash: { ...plan.flash, total: records * 2000 } },
      )
    },
  })
  const { user } = await show(CapacityPage, '/capacity', '/capacity', staged.around)
  const table = await screen.findByRole('button', { name: 'Show Memory and flash as table' })
  await user.click(table)
  const rows = (name: string): (string | null)[][] =>
    within(screen.getByRole('region', { name }))
      .getAllByRole('row')
      .map((row) => [...row.children].map(({ textContent }) => textContent))
  const need = rows('Memory and flash')
  expect(need[0]).toEqual(['records', 'memory: DRAM', 'device: DRAM', 'device: flash'])
  expect(need[5]).toEqual(['100,000,000', '93.1 GiB', '5.96 GiB', '186 GiB'])
  expect(need.map(([records]) => records).slice(1)).toEqual([
    '1,000,000',
    '3,162,278',
    '10,000,000',
    '31,622,777',
    '100,000,000',
    '316,227,766',
    '1,000,000,000',
  ])
  await user.click(screen.getByRole('button', { name: 'Show Cost as table' }))
  expect(rows('Cost')[5]).toEqual(['100,000,000', '373', '42', '8.77×'])
  await user.clear(field('A GiB of DRAM'))
  expect(alerts()).toEqual(['A number, such as 0.1'])
  await user.type(field('A GiB of DRAM'), '1')
  expect(rows('Cost')[5]).toEqual(['100,000,000', '93', '25', '3.79×'])
  expect(gateway.bodies(ASK)).toHaveLength(14)
})
