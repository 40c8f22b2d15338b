// Tests against a real cluster: `npm run test:cluster -- --nodes 1`. It is started for them, and ended after them. Those of
// a cluster that encrypts and lets in only whom it knows are apart: `npm run test:cluster -- --guarded`.
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { CLIENT_PORT, homeOf, NET, nodesAt, toldAddress } from './config.mjs'
import { pidOf } from './node.mjs'

const main = fileURLToPath(new URL('main.mjs', import.meta.url))
const e2e = fileURLToPath(new URL('..', import.meta.url))
const server = fileURLToPath(new URL('../../server', import.meta.url))
const manifest = fileURLToPath(new URL('../../native/Cargo.toml', import.meta.url))

const { values, positionals } = parseArgs({
  options: {
    nodes: { type: 'string', default: '3' },
    net: { type: 'string', default: NET },
    guarded: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const { net, guarded } = values
const home = homeOf(net)
if (existsSync(home)) {
  console.error(
    'There is a cluster already, and the tests delete theirs. Remove it first: npm run cluster:down -- --delete',
  )
  process.exit(1)
}
// Ctrl-C reaches the tests as well. They end, and then the cluster does.
process.on('SIGINT', () => undefined)
const count = guarded ? 1 : Number(values.nodes)
// With fewer nodes there is no majority without the one that is cut off.
const relayed = !guarded && count >= 3
const options = [guarded && ['--tls', '--auth'], relayed && ['--relayed']].flatMap((words) => words || [])
const shape = ['--nodes', String(count), '--net', net, ...options]
let status = run(process.execPath, [main, 'up', ...shape])
if (status === 0) {
  const nodes = nodesAt(count, net)
  const points = nodes.map((node) => `${toldAddress(node, { nodes: count, net, relayed })}:${CLIENT_PORT}`)
  const cluster = {
    CLUSTER_CONTACT_POINTS: points.join(','),
    CLUSTER_PIDS: nodes.map(pidOf).join(','),
    CLUSTER_NET: net,
    CLUSTER_SHAPE: shape.join(' '),
    CLUSTER_CERTIFICATES: home,
  }
  // Each part runs, whatever came of the one before.
  status = runCrate(cluster)
  if (!guarded) status = Math.max(status, runContract(cluster, points), runProduct(cluster))
}
run(process.execPath, [main, 'down', '--delete', '--net', net])
process.exit(status)

/** The tests of the crate. @param {Record<string, string>} cluster */
function runCrate(cluster) {
  const tests = ['test', '--manifest-path', manifest, '--package', 'tessera-cluster', '--tests', '--no-fail-fast', '--']
  const chosen = guarded ? ['guarded_cluster'] : ['--skip', 'guarded_cluster', ...positionals]
  return run('cargo', [...tests, '--include-ignored', '--test-threads', '1', ...chosen], cluster)
}

/** The tests of the gateway that all engines pass. @param {Record<string, string>} cluster @param {string[]} contactPoints */
function runContract(cluster, contactPoints) {
  const clusters = join(home, 'clusters.json')
  writeFileSync(clusters, JSON.stringify({ local: { contactPoints } }))
  const storage = { engine: 'cassandra', cluster: { name: 'local', replication: Math.min(3, count) } }
  // Keyspaces are made one after the other.
  return run('npx', ['vitest', 'run', '--root', server, '--maxWorkers', '1', '--passWithNoTests', ...positionals], {
    ...cluster,
    CONTRACT_STORAGE: JSON.stringify(storage),
    CONTRACT_CLUSTERS: clusters,
    CONTRACT_FORGET: fileURLToPath(new URL('forget.mjs', import.meta.url)),
  })
}

/** The product, with the gateway and the addon as they are built. @param {Record<string, string>} cluster */
function runProduct(cluster) {
  const config = ['--root', e2e, '--config', 'cluster/product/vitest.config.ts']
  return run('npx', ['vitest', 'run', ...config, '--passWithNoTests', ...positionals], cluster)
}

/** @param {string} program @param {readonly string[]} words @param {Record<string, string>} more environment */
function run(program, words, more = {}) {
  return spawnSync(program, words, { stdio: 'inherit', env: { ...process.env, ...more } }).status ?? 1
}
