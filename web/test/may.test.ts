import { expect, test } from 'vitest'
import { mayDo, type Operation } from '../src/api/may'
import { needs, roles } from '../src/api/roles.gen'
import { firstSteps } from '../src/pages/overview/first-steps'
import { mayOpen } from '../src/shell/page-needs'

const by =
  (role: (typeof roles)[number]) =>
  (operation: Operation): boolean =>
    mayDo({ grants: [{ role }] }, operation)

test('a role may do what those before it may, and no more', () => {
  for (const [rank, role] of roles.entries()) {
    const allowed = (Object.keys(needs) as Operation[]).filter(by(role))
    expect(allowed.map((operation) => needs[operation].role).filter((needed) => roles.indexOf(needed) > rank)).toEqual(
      [],
    )
    expect(allowed.filter((operation) => needs[operation].role === role)).not.toEqual([])
  }
  expect(Object.keys(needs).every((operation) => by('admin')(operation as Operation))).toBe(true)
})

test('a role for a namespace, or for some of its sets, holds there alone', () => {
  const me = {
    grants: [
      { role: 'operator' as const, namespace: 'shop' },
      { role: 'writer' as const, namespace: 'mine', setPrefix: 'eu-' },
    ],
  }
  const may = (operation: Operation, namespace?: string, set?: string) => mayDo(me, operation, { namespace, set })
  expect([may('updateNamespace', 'shop'), may('updateNamespace', 'mine'), may('updateNamespace')]).toEqual([
    true,
    false,
    true,
  ])
  expect([may('putRecord', 'mine', 'eu-1'), may('putRecord', 'mine', 'us-1'), may('putRecord', 'mine')]).toEqual([
    true,
    false,
    true,
  ])
  expect([may('getNamespace', 'mine'), may('query', 'mine'), may('query', 'other')]).toEqual([false, true, false])
  expect([may('createNamespace'), may('listUsers'), may('getLab'), may('getMe')]).toEqual([false, false, false, true])
})

test('nobody may do anything before it is known who that is', () => {
  expect(mayDo(undefined, 'getStatus')).toBe(false)
})

test('pages that serve one operation are for those who may do it', () => {
  expect(['/', '/jobs', '/audit', '/namespaces/new'].filter((path) => mayOpen(by('reader'), path))).toEqual([
    '/',
    '/jobs',
  ])
  expect(mayOpen(by('operator'), '/namespaces/$ns/danger', 'shop')).toBe(true)
  expect(mayOpen(by('operator'), '/audit')).toBe(false)
})

test.each([
  ['reader', ['Query']],
  ['writer', ['Load data', 'Query']],
  ['operator', ['Create a namespace', 'Load data', 'Switch on a set index', 'Build an index', 'Query']],
] as const)('the first steps of a %s', (role, steps) => {
  const facts = { namespaces: [{ records: 0 }], sets: [], indexes: [], jobs: [] } as unknown as Parameters<
    typeof firstSteps
  >[0]
  expect(firstSteps(facts, by(role)).map(({ title }) => title)).toEqual(steps)
  const empty = firstSteps({ ...facts, namespaces: [] }, by(role))
  expect(empty.length).toBe(role === 'operator' ? 5 : 0)
})
