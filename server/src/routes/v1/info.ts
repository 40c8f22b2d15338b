// /v1/info: information about the node, by command.
import { Type } from 'typebox'
import type { App } from '../../app-types.js'
import type { Engine, MaybePromise } from '../../engines/engine.js'
import type { Namespace } from '../../schemas/namespaces/namespaces.js'
import { pathOf } from './wire/documents.js'
import { InvalidNode } from './wire/errors.js'
import { nodeName } from './wire/node.js'
import { listed } from '../../answers/listed.js'
import { frame } from './wire/wire.js'

/** Most commands of one request. */
const COMMANDS_MAX = 100

const Commands = Type.Array(Type.String(), {
  maxItems: COMMANDS_MAX,
  description: 'Info commands, at most 100.',
  examples: [['build', 'edition']],
})
const Values = Type.Record(Type.String(), Type.String(), {
  description: 'Answers by command.',
  examples: [{ build: '0.1.0', edition: 'Tessera' }],
})

export function infoRoutes(app: App): void {
  for (const { url, suffix } of [
    { url: '/info', suffix: '' },
    { url: '/info/:node', suffix: 'Node' },
  ]) {
    app.post(
      url,
      {
        config: { body: frame(), documents: { params: pathOf(url) } },
        schema: {
          operationId: `info${suffix}`,
          tags: ['v1'],
          summary: 'Run info commands',
          description:
            'Answers info commands: build, version, edition, node, status, statistics, namespaces, sets, sindex, and those of one namespace, such as `sets/shop`. Unknown commands are left out of the answer.',
          body: Commands,
          response: { 200: Values },
        },
      },
      (request) => {
        const { node } = request.params as { node?: string }
        if (node !== undefined && node !== nodeName) throw new InvalidNode(node)
        return answers(request.engine, request.body)
      },
    )
  }
}

/** Fields in the format of info answers. */
const list = (fields: Record<string, string | number>, separator = ';'): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .join(separator)

/** Commands of the node itself. */
const commands: Readonly<Record<string, (engine: Engine) => MaybePromise<string>>> = {
  build: async (engine) => (await engine.status()).version,
  version: async (engine) => `Tessera build ${(await engine.status()).version}`,
  edition: () => 'Tessera',
  node: () => nodeName,
  status: () => 'ok',
  namespaces: (engine) => engine.namespaceNames().join(';'),
  statistics: async (engine) => {
    const namespaces = await engine.namespaces()
    const objects = namespaces.reduce((sum, { records = 0 }) => sum + records, 0)
    const uptime = Math.floor((Date.now() - Date.parse((await engine.status()).startedAt)) / 1000)
    return list({ cluster_size: 1, objects, uptime, namespaces: namespaces.length })
  },
  sets: (engine) => ofEach(engine, sets),
  sindex: (engine) => ofEach(engine, indexes),
}

type OfNamespace = (engine: Engine, namespace: Namespace) => MaybePromise<string>

/** Answers of a command for each namespace. */
async function ofEach(engine: Engine, command: OfNamespace): Promise<string> {
  const texts = await Promise.all((await engine.namespaces()).map((namespace) => command(engine, namespace)))
  return texts.join('')
}

/** Commands of one namespace: `sets/test`. */
const ofNamespace: Readonly<Record<string, OfNamespace>> = {
  namespace: (_engine, { records, config }) =>
    list({
      objects: records,
      'default-ttl': config.defaultTtlSeconds ?? 0,
      'storage-engine': config.storage.engine,
    }),
  sets,
  sindex: indexes,
}

async function sets(engine: Engine, namespace: Namespace): Promise<string> {
  const all = await listed(namespace, (name) => engine.sets(name))
  const named = all.filter(({ name }) => name !== '')
  return named.map(({ name, records }) => `${list({ ns: namespace.name, set: name, objects: records }, ':')};`).join('')
}

async function indexes(engine: Engine, namespace: Namespace): Promise<string> {
  const held = await listed(namespace, (name) => engine.indexes(name))
  return held
    .map(({ name, set, bin, kind, state }) => {
      const fields = {
        ns: namespace.name,
        set: set ?? 'NULL',
        indexname: name,
        bin: bin ?? 'NULL',
        type: 'numeric',
        indextype: kind === 'range' ? 'default' : 'list',
      }
      return `${list({ ...fields, state: state === 'ready' ? 'RW' : 'WO' }, ':')};`
    })
    .join('')
}

async function answer(engine: Engine, command: string): Promise<string | undefined> {
  if (Object.hasOwn(commands, command)) return commands[command]?.(engine)
  const [kind = '', name] = command.split('/')
  if (name === undefined || !Object.hasOwn(ofNamespace, kind)) return undefined
  const namespace = (await engine.namespaces()).find((one) => one.name === name)
  return namespace && ofNamespace[kind]?.(engine, namespace)
}

async function answers(engine: Engine, asked: readonly string[]): Promise<Record<string, string>> {
  const entries = await Promise.all(asked.map(async (command) => [command, await answer(engine, command)] as const))
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== '')) as Record<
    string,
    string
  >
}
