import { screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { ImportPage } from '../../src/pages/import/ImportPage'
import { Gateway } from './gateway'
import { show } from './page'

/** Uploads in place of `XMLHttpRequest`; a test ends them. */
class Uploads extends EventTarget {
  static all: Uploads[] = []
  readonly upload = new EventTarget()
  path = new URL('http://none')
  status = 0
  responseText = ''
  body: Blob | undefined

  open(_method: string, path: string): void {
    this.path = new URL(path, location.origin)
    Uploads.all.push(this)
  }

  setRequestHeader(): void {}

  send(body: Blob): void {
    this.body = body
  }

  abort(): void {
    this.dispatchEvent(new Event('abort'))
  }

  end(status: number, answer: object): void {
    this.status = status
    this.responseText = JSON.stringify(answer)
    this.dispatchEvent(new Event('load'))
  }
}

beforeEach(() => {
  Uploads.all = []
  vi.stubGlobal('XMLHttpRequest', Uploads)
})

const csv = (text = 'id,kind,payload\n1,push,"{""n"":1}"\n2,pull,"{""n"":2}"\n'): File => new File([text], 'visits.csv')
const report = {
  jobId: 'j1',
  rows: 2,
  inserted: 2,
  updated: 0,
  rejectedTotal: 0,
  rejectedByCode: {},
  rejected: [],
  bytes: 60,
  elapsedMs: 5,
  rowsPerSecond: 400,
}

async function open(file = csv()) {
  const gateway = new Gateway()
  const { user } = await show(ImportPage, '/import')
  await user.upload(await screen.findByLabelText('File to import'), file)
  await screen.findByRole('heading', { name: 'Rows to records' })
  return { gateway, user }
}

const field = (name: string): HTMLInputElement => screen.getByLabelText(name)
const button = (name: string): HTMLButtonElement => screen.getByRole('button', { name })
const asked = (at: number): Record<string, string> => {
  const { tag: _, ...query } = Object.fromEntries(Uploads.all[at]?.path.searchParams ?? [])
  return query
}

test('a file names its set and its key, and the form is what is sent', async () => {
  const { user } = await open()
  expect([field('Set').value, field('Key').value]).toEqual(['visits', 'id'])
  await user.selectOptions(field('Existing keys'), 'reject existing keys')
  await user.selectOptions(field('Distribution bin'), 'kind')
  await user.type(field('Threads'), '3')
  await user.click(button('Import'))
  expect(Uploads.all[0]?.path.pathname).toBe('/api/v1/namespaces/shop/import')
  expect(asked(0)).toEqual({
    format: 'csv',
    set: 'visits',
    key: 'id',
    threads: '3',
    mode: 'insert',
    distributionBin: 'kind',
    types: 'payload:json',
  })
  expect(await Uploads.all[0]?.body?.text()).toBe(await csv().text())
})

test('a dry run stores nothing, shows what came of it, and offers the import', async () => {
  const { user } = await open()
  await user.click(button('Dry run'))
  expect(asked(0)).toMatchObject({ dryRun: 'true' })
  Uploads.all[0]?.end(200, { ...report, sample: '{"key":1}\n' })
  expect(await screen.findByText(/nothing was stored, 0 rejected/)).not.toBeNull()
  expect(screen.getByLabelText('Preview of the first records').textContent).toBe('{"key":1}\n')
  await user.click(button('Import all rows'))
  expect([Uploads.all.length, 'dryRun' in asked(1)]).toEqual([2, false])
  Uploads.all[1]?.end(200, report)
  expect(await screen.findByText(/2 inserted, 0 updated, 0 rejected/)).not.toBeNull()
})

test('threads outside their bounds and a distribution bin that is not kept are refused in the form', async () => {
  const { user } = await open()
  await user.type(field('Threads'), '129')
  expect(screen.getByRole('alert').textContent).toBe('A whole number from 1 to 128')
  expect([button('Import').disabled, button('Dry run').disabled]).toEqual([true, true])
  await user.clear(field('Threads'))
  await user.selectOptions(field('Distribution bin'), 'kind')
  await user.click(screen.getByRole('checkbox', { name: 'Keep kind' }))
  expect(screen.getAllByText('Keep kind: it is the distribution bin of the set').length).toBeGreaterThan(0)
  expect(button('Import').disabled).toBe(true)
  await user.click(screen.getByRole('checkbox', { name: 'Keep kind' }))
  expect(button('Import').disabled).toBe(false)
  expect(Uploads.all).toEqual([])
})

test('a mapping that is typed only half cannot be sent', async () => {
  const { user } = await open()
  await user.type(field('As text'), 'kind:')
  expect(screen.getByRole('alert').textContent).toContain('bin:source')
  expect([button('Import').disabled, screen.getByText('Complete the mapping').tagName]).toEqual([true, 'P'])
  await user.clear(field('As text'))
  await user.type(field('As text'), 'kind:kind')
  expect(button('Import').disabled).toBe(false)
  await user.click(button('Import'))
  expect(asked(0)).toMatchObject({ map: 'kind:kind' })
})

test('a refusal is shown beside the form, which keeps its values', async () => {
  const { user } = await open()
  await user.clear(field('Set'))
  await user.type(field('Set'), 'a b')
  await user.click(button('Import'))
  Uploads.all[0]?.end(422, { code: 'name_invalid', title: 'A name is invalid', detail: 'a set has no spaces' })
  await screen.findByText('name_invalid · 422')
  expect([field('Set').value, button('Import').disabled]).toEqual(['a b', false])
})
