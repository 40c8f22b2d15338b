import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { files, read } from './tree.ts'

// The chart of Helm: its values, and what its templates make of them.

const folder = 'server/packaging/helm'
const values = parse(read(`${folder}/values.yaml`)) as Record<string, unknown>
const templates = files.filter((path) => path.startsWith(`${folder}/templates/`)).map(read)
const server = templates.find((text) => text.includes('kind: StatefulSet')) ?? ''

/** The paths of values that a template can name: a map without keys, and a list, are named whole. */
function pathsOf(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path]
  const inside = Object.entries(value).flatMap(([key, of]) => pathsOf(of, `${path}.${key}`))
  return [path, ...inside]
}

test('the chart has the version of the server', () => {
  const { version } = JSON.parse(read('server/package.json')) as { version: string }
  expect(parse(read(`${folder}/Chart.yaml`))).toMatchObject({ apiVersion: 'v2', version, appVersion: version })
})

test('templates use the values that there are, and all of them', () => {
  const used = new Set(
    templates.flatMap((text) => Array.from(text.matchAll(/\.Values\.([\w.]+)/g), ([, path]) => path)),
  )
  const known = Object.entries(values).flatMap(([key, value]) => pathsOf(value, key))
  expect([...used].filter((path) => path === undefined || !known.includes(path))).toEqual([])
  expect(Object.keys(values).filter((key) => ![...used].some((path) => path?.split('.')[0] === key))).toEqual([])
})

test('a comment says what a value is, if its name alone does not', () => {
  const text = read(`${folder}/values.yaml`)
  const bare = ['tls', 'adminTokenSecret', 'settings'].filter(
    (key) => !new RegExp(`^(?: *#.*\\n)+${key}:|^${key}:\\n +#`, 'm').test(text),
  )
  expect(bare).toEqual([])
})

test('settings in the templates and values are those of the server', () => {
  const table = read('server/src/config/settings.ts')
  const named = [read(`${folder}/values.yaml`), ...templates].flatMap((text) => text.match(/\bTESSERA_[A-Z_]+/g) ?? [])
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter((name) => !table.includes(`'${name}'`))).toEqual([])
})

test('one server runs without rights, with probes and a volume', () => {
  const wanted = [
    'replicas: 1\n',
    'runAsNonRoot: true',
    'runAsUser: 65532',
    'type: RuntimeDefault',
    'automountServiceAccountToken: false',
    'readOnlyRootFilesystem: true',
    'allowPrivilegeEscalation: false',
    'drop: [ALL]',
    'startupProbe:',
    'readinessProbe:',
    'livenessProbe:',
    'volumeClaimTemplates:',
  ]
  expect(wanted.filter((line) => !server.includes(line))).toEqual([])
})
