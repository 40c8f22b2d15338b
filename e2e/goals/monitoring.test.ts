import { parser } from '@prometheus-io/lezer-promql'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, createNamespace, send } from '../gateway/client.ts'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'

// The dashboard of Grafana asks only for what a server says.

interface Dashboard {
  templating: { list: { name: string; definition?: string }[] }
  panels: { title: string; targets: { expr: string }[] }[]
}

const dashboard = JSON.parse(readFileSync(new URL('../../docs/grafana.json', import.meta.url), 'utf8')) as Dashboard
const home = newHome()
let gateway: Gateway | undefined
/** Names of labels by name of a series. */
let served = new Map<string, Set<string>>()

async function series(target: Gateway): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>()
  const text = await (await send(target, 'GET', '/metrics', undefined, 'text/plain')).text()
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gm)) {
    const names = [...labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)].map(([, label]) => label ?? '')
    found.set(name, new Set([...(found.get(name) ?? []), ...names]))
  }
  // The text has no native histograms: those have the name of their family.
  for (const [name, labels] of found) if (name.endsWith('_count')) found.set(name.slice(0, -'_count'.length), labels)
  return found
}

beforeAll(async () => {
  gateway = await startGateway(home)
  const target = gateway
  await createNamespace(target, { name: 'shop', storage: { engine: 'device' } })
  const wanted = ['tessera_operation_seconds_count', 'tessera_alerts']
  while (!wanted.every((name) => served.has(name))) {
    await call(target, 'PUT', '/api/v1/namespaces/shop/sets/carts/records/c1', { n: 1 })
    served = await series(target)
  }
})

afterAll(async () => {
  await gateway?.stop()
  removeHome(home)
})

/** The series that an expression selects, with the labels that it names; a fault in it is thrown. */
function selected(expression: string): { name: string; labels: string[] }[] {
  const query = expression.replaceAll('$__rate_interval', '1m')
  const found: { name: string; labels: string[] }[] = []
  const grouped: string[] = []
  parser.parse(query).iterate({
    enter: ({ type, from, to }) => {
      const text = query.slice(from, to)
      if (type.isError) throw new Error(`${expression}: a fault at ${from}`)
      if (type.name === 'VectorSelector') found.push({ name: '', labels: [] })
      if (type.name === 'Identifier') Object.assign(found.at(-1) ?? {}, { name: text })
      if (type.name === 'LabelName') (found.at(-1)?.labels ?? grouped).push(text)
    },
  })
  for (const { labels } of found) labels.push(...grouped)
  return found
}

test.each(dashboard.panels.map(({ title, targets }) => [title, targets.map(({ expr }) => expr)] as const))(
  'the panel %s asks for series that are served',
  (_title, expressions) => {
    for (const { name, labels } of expressions.flatMap(selected)) {
      expect([...served.keys()]).toContain(name)
      expect([...(served.get(name) ?? [])]).toEqual(expect.arrayContaining(labels))
    }
  },
)

test('each variable that an expression uses is defined, and its values are served', () => {
  const defined = dashboard.templating.list.map(({ name }) => name)
  const used = JSON.stringify(dashboard.panels).matchAll(/\$\{?(?!__)(\w+)\}?/g)
  expect(defined).toEqual(expect.arrayContaining([...new Set([...used].map(([, name]) => name))]))
  const asked = dashboard.templating.list.flatMap(({ definition }) => definition ?? [])
  for (const definition of asked) {
    const [, name = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(definition) ?? []
    expect(served.get(name)).toContain(label)
  }
})

test('an expression with a fault is noticed', () => {
  expect(() => selected('sum(rate(tessera_records{[1m])')).toThrow('a fault')
  expect(selected('sum by (op) (rate(a_total{side="engine"}[1m])) / b')).toEqual([
    { name: 'a_total', labels: ['side', 'op'] },
    { name: 'b', labels: ['op'] },
  ])
})
