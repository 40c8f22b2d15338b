// What a node of a local cluster is told: its configuration, its log, and the options of its Java.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Client port of every node; each has an address of its own. */
export const CLIENT_PORT = 9042
export const STORAGE_PORT = 7000
const JMX_PORT = 7199
const TOKENS = 16

/** Where clusters of this clone live. */
export const home = fileURLToPath(new URL('../.cluster', import.meta.url))

/** @typedef {{ nodes: number, heapMb: number }} Shape of a cluster; `heapMb` is the Java heap of a node in MB. */

/** @param {number} node counted from 1 */
export const addressOf = (node) => `127.0.0.${node}`

/** @param {number} node */
export const directoryOf = (node) => join(home, `node${node}`)

/**
 * The tokens of a node: those of all nodes take turns on the ring, at equal distances.
 * @param {number} node @param {number} nodes @returns {bigint[]}
 */
export function tokensOf(node, nodes) {
  const all = BigInt(TOKENS * nodes)
  const place = (/** @type {number} */ turn) => BigInt(turn * nodes + node - 1)
  return Array.from({ length: TOKENS }, (_, turn) => -(2n ** 63n) + (place(turn) * 2n ** 64n) / all)
}

/** cassandra.yaml of a node. @param {number} node @param {Shape} shape */
export function configOf(node, { nodes }) {
  const directory = directoryOf(node)
  const seeds = Array.from({ length: nodes }, (_, at) => `${addressOf(at + 1)}:${STORAGE_PORT}`).join(',')
  const settings = {
    cluster_name: 'tessera-local',
    partitioner: 'org.apache.cassandra.dht.Murmur3Partitioner',
    num_tokens: TOKENS,
    initial_token: tokensOf(node, nodes).join(','),
    // All are seeds with tokens of their own, so there is nothing to stream from others.
    auto_bootstrap: false,
    storage_compatibility_mode: 'NONE',
    endpoint_snitch: 'SimpleSnitch',
    seed_provider: [{ class_name: 'org.apache.cassandra.locator.SimpleSeedProvider', parameters: [{ seeds }] }],
    listen_address: addressOf(node),
    rpc_address: addressOf(node),
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
  }
  // JSON is YAML too.
  return `${JSON.stringify(settings, null, 2)}\n`
}

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
 * @param {number} node @param {Shape} shape @param {readonly string[]} jars @returns {string[]}
 */
export function javaOptions(node, { heapMb }, jars) {
  const directory = directoryOf(node)
  const properties = {
    'cassandra.config': `file://${join(directory, 'cassandra.yaml')}`,
    'cassandra.storagedir': directory,
    'cassandra.jmx.local.port': JMX_PORT + node - 1,
    'cassandra-foreground': 'yes',
    // A cluster of one machine need not wait for gossip to cross a network.
    'cassandra.skip_wait_for_gossip_to_settle': 0,
    'cassandra.ring_delay_ms': 10_000,
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
