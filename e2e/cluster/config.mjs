// What a node of a local cluster is told: its configuration, its log, and the options of its Java.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Client port of every node; each has an address of its own. */
export const CLIENT_PORT = 9042
export const STORAGE_PORT = 7000
const TOKENS = 16
/** The relay of node 3 is at 127.0.0.103. */
const RELAYS = 100

/** Where nodes are, unless they are to be elsewhere. */
export const NET = '127.0.0'

/**
 * @typedef {{ nodes: number, heapMb: number, net: string, tls: boolean, auth: boolean, relayed: boolean }} Shape of a cluster
 *   - `heapMb`: Java heap of a node in MB
 *   - `net`: the first three numbers of the addresses of its nodes
 *   - `tls`: connections of clients are encrypted, and both sides show a certificate
 *   - `auth`: clients need a user and a password
 *   - `relayed`: the last node is behind a relay, which can cut it off
 * @typedef {{ number: number, address: string, directory: string }} Node counted from 1
 */

/** Where the cluster of this clone at these addresses lives. @param {string} net */
export const homeOf = (net) => fileURLToPath(new URL(`../.cluster${net === NET ? '' : `-${net}`}`, import.meta.url))

/** @param {number} number @param {string} net @returns {Node} */
export const nodeAt = (number, net) => ({
  number,
  address: `${net}.${number}`,
  directory: join(homeOf(net), `node${number}`),
})

/**
 * Where clients and other nodes find a node: the last one of a cluster with a relay at that one's address.
 * @param {Node} node @param {Pick<Shape, 'nodes' | 'net' | 'relayed'>} shape
 */
export const toldAddress = ({ number, address }, { nodes, net, relayed }) =>
  relayed && number === nodes ? `${net}.${RELAYS + number}` : address

/** Nodes 1 to `count`. @param {number} count @param {string} net @returns {Node[]} */
export const nodesAt = (count, net) => Array.from({ length: count }, (_, at) => nodeAt(at + 1, net))

/**
 * The tokens of a node: those of all nodes take turns on the ring, at equal distances.
 * @param {number} node @param {number} nodes @returns {bigint[]}
 */
export function tokensOf(node, nodes) {
  const all = BigInt(TOKENS * nodes)
  const place = (/** @type {number} */ turn) => BigInt(turn * nodes + node - 1)
  return Array.from({ length: TOKENS }, (_, turn) => -(2n ** 63n) + (place(turn) * 2n ** 64n) / all)
}

/** cassandra.yaml of a node. @param {Node} node @param {Shape} shape */
export function configOf(node, shape) {
  const { number, address, directory } = node
  const { nodes, net, tls, auth } = shape
  const told = toldAddress(node, shape)
  const seeds = nodesAt(nodes, net)
    .map((seed) => `${toldAddress(seed, shape)}:${STORAGE_PORT}`)
    .join(',')
  const settings = {
    cluster_name: 'tessera-local',
    partitioner: 'org.apache.cassandra.dht.Murmur3Partitioner',
    num_tokens: TOKENS,
    initial_token: tokensOf(number, nodes).join(','),
    // All are seeds with tokens of their own, so there is nothing to stream from others.
    auto_bootstrap: false,
    storage_compatibility_mode: 'NONE',
    endpoint_snitch: 'SimpleSnitch',
    seed_provider: [{ class_name: 'org.apache.cassandra.locator.SimpleSeedProvider', parameters: [{ seeds }] }],
    listen_address: address,
    rpc_address: address,
    ...(told !== address && { broadcast_address: told, broadcast_rpc_address: told }),
    native_transport_port: CLIENT_PORT,
    storage_port: STORAGE_PORT,
    data_file_directories: [join(directory, 'data')],
    commitlog_directory: join(directory, 'commitlog'),
    saved_caches_directory: join(directory, 'saved_caches'),
    hints_directory: join(directory, 'hints'),
    cdc_raw_directory: join(directory, 'cdc_raw'),
    // With the default, a node that is killed loses what it acknowledged in its last ten seconds.
    commitlog_sync: 'batch',
    // Its default of 1 GB is more than the heap of a small node.
    sai_options: { segment_write_buffer_size: '48MiB' },
    ...(auth && { authenticator: 'PasswordAuthenticator', authorizer: 'CassandraAuthorizer' }),
    ...(tls && { client_encryption_options: encryption(directory) }),
  }
  // JSON is YAML too.
  return `${JSON.stringify(settings, null, 2)}\n`
}

/** What clients have to speak, and to show. @param {string} directory */
const encryption = (directory) => ({
  enabled: true,
  optional: false,
  require_client_auth: true,
  ssl_context_factory: { class_name: 'org.apache.cassandra.security.PEMBasedSslContextFactory' },
  keystore: join(directory, 'node.pem'),
  truststore: join(directory, 'ca.pem'),
})

/** Log of a node: what is worth a line, to its standard output. */
export const logback = `<configuration>
  <appender name="OUT" class="ch.qos.logback.core.ConsoleAppender">
    <encoder><pattern>%-5level %date{ISO8601} %logger{0} %msg%n</pattern></encoder>
  </appender>
  <root level="INFO"><appender-ref ref="OUT" /></root>
</configuration>
`

/** Packages of the JDK that Cassandra 5.0 reaches into, by module. */
const exported = {
  'java.base': 'java.lang.ref jdk.internal.misc jdk.internal.ref sun.nio.ch',
  'java.management.rmi': 'com.sun.jmx.remote.internal.rmi',
  'java.rmi': 'sun.rmi.registry sun.rmi.server sun.rmi.transport.tcp',
  'java.sql': 'java.sql',
  'jdk.attach': 'sun.tools.attach',
  'jdk.compiler': 'com.sun.tools.javac.file',
  'jdk.unsupported': 'sun.misc',
}

const opened = {
  'java.base': `java.io java.lang java.lang.module java.lang.reflect java.net java.nio java.util java.util.concurrent
    java.util.concurrent.atomic jdk.internal.loader jdk.internal.math jdk.internal.module jdk.internal.ref
    jdk.internal.reflect jdk.internal.util.jar sun.nio.ch`,
  'java.rmi': 'sun.rmi.transport.tcp',
  'jdk.compiler': 'com.sun.tools.javac',
  'jdk.management': 'com.sun.management.internal',
}

/**
 * The command line of a node, without `java`.
 * @param {Node} node @param {Shape} shape @param {readonly string[]} jars @returns {string[]}
 */
export function javaOptions({ directory }, { heapMb }, jars) {
  const properties = {
    'cassandra.config': `file://${join(directory, 'cassandra.yaml')}`,
    'cassandra.storagedir': directory,
    'cassandra-foreground': 'yes',
    // A cluster of one machine need not wait for gossip to cross a network.
    'cassandra.skip_wait_for_gossip_to_settle': 0,
    'cassandra.ring_delay_ms': 10_000,
    'cassandra.superuser_setup_delay_ms': 0,
    'cassandra.consistent.rangemovement': false,
    'jdk.attach.allowAttachSelf': true,
    'io.netty.tryReflectionSetAccessible': true,
    'logback.configurationFile': join(directory, 'logback.xml'),
  }
  return [
    `-Xms${heapMb}m`,
    `-Xmx${heapMb}m`,
    '-Xss256k',
    ...openings('--add-exports', exported),
    ...openings('--add-opens', opened),
    ...Object.entries(properties).map(([name, value]) => `-D${name}=${value}`),
    '-classpath',
    jars.join(':'),
    'org.apache.cassandra.service.CassandraDaemon',
  ]
}

/** @param {string} option @param {Record<string, string>} modules names of packages by module */
const openings = (option, modules) =>
  Object.entries(modules).flatMap(([module, packages]) =>
    packages.split(/\s+/).map((name) => `${option}=${module}/${name}=ALL-UNNAMED`),
  )
