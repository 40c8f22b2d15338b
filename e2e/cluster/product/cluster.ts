// The cluster that the tests of the product use, what can happen to its nodes, and gateways that know it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { call } from '../../gateway/client.ts'
import { type Gateway, startGateway } from '../../gateway/gateway.ts'
import { nodesAt } from '../config.mjs'
import { pidOf, relayPidOf, stopNode } from '../node.mjs'

const main = fileURLToPath(new URL('../main.mjs', import.meta.url))

export const points = (process.env['CLUSTER_CONTACT_POINTS'] ?? '').split(',')
const shape = (process.env['CLUSTER_SHAPE'] ?? '').split(' ')
const nodes = nodesAt(points.length, process.env['CLUSTER_NET'] ?? '127.0.0')

/** A namespace with a copy on each node, three at most. */
export const onCluster = (name: string, more: object = {}): { name: string; storage: object } => ({
  name,
  storage: { engine: 'cassandra', cluster: { name: 'local', replication: Math.min(3, points.length), ...more } },
})

/** Starts a gateway that knows the cluster by the name `local`. */
export async function startGatewayOfCluster(home: string): Promise<Gateway> {
  const clusters = join(home, 'clusters.json')
  writeFileSync(clusters, JSON.stringify({ local: { contactPoints: points } }))
  return startGateway(home, [], { TESSERA_CLUSTERS: clusters })
}

/** What may befall a node, by its number. Each but `ended` resolves when it is over and all nodes are up. */
export const faults = {
  async killed(number: number): Promise<void> {
    process.kill(pidOf(nodeOf(number)) ?? missing(number), 'SIGKILL')
    await startMissing()
  },
  /** Ends as an operator lets it end. All nodes are up once `started` resolves. */
  async ended(number: number): Promise<void> {
    await stopNode(nodeOf(number))
  },
  async started(): Promise<void> {
    await startMissing()
  },
  /** Stands still for a while. */
  async stopped(number: number, ms: number): Promise<void> {
    await standing(pidOf(nodeOf(number)) ?? missing(number), ms)
  },
  /** Neither clients nor other nodes reach the last node, and it reaches neither. */
  async cutOff(ms: number): Promise<void> {
    await standing(relayPidOf(nodeOf(nodes.length)) ?? missing(nodes.length), ms)
  },
}

function nodeOf(number: number): (typeof nodes)[number] {
  return nodes[number - 1] ?? missing(number)
}

function missing(number: number): never {
  throw new Error(`node ${number} does not run, or has no relay`)
}

async function standing(pid: number, ms: number): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  try {
    await new Promise((resolve) => setTimeout(resolve, ms))
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

/** Starts the nodes that have ended, and waits until each knows all others. Meanwhile this process goes on. */
async function startMissing(): Promise<void> {
  const [code] = (await once(spawn(process.execPath, [main, 'up', ...shape], { stdio: 'inherit' }), 'exit')) as [number]
  expect(code).toBe(0)
}

/** Waits until a gateway that was not restarted has all nodes again, and all of them think so. */
export async function reunited(gateway: Gateway, namespace: string): Promise<void> {
  const states = async (): Promise<unknown[]> => {
    const { nodes: all } = await call<{ nodes: { connected: boolean; state?: string; error?: string }[] }>(
      gateway,
      'GET',
      `/api/v1/namespaces/${namespace}/cluster`,
    )
    return all.map(({ connected, state, error }) => ({ connected, state: state?.toLowerCase(), error }))
  }
  const well = points.map(() => ({ connected: true, state: 'normal', error: undefined }))
  await expect.poll(states, { timeout: 180_000, interval: 500 }).toEqual(well)
}
