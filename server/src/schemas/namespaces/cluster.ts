// A namespace on a cluster: how it is configured, and what is known of the cluster.
import { type Static, Type } from 'typebox'
import { bytes, count, flag, milliseconds as ms, number, text } from '../quantities.js'
import { choice } from '../words.js'
import { clusterView, knownClusters } from '../examples/cluster.js'

const consistencies = ['one', 'local_one', 'quorum', 'local_quorum', 'all'] as const
const milliseconds = (description: string) => Type.Integer({ minimum: 100, maximum: 600_000, description })
const copies = { minimum: 1, maximum: 64 }

export const ClusterConfig = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 63,
      description:
        'Name of the cluster in the file that `TESSERA_CLUSTERS` names. The operator writes the addresses and the ' +
        'password there, so neither is part of a request.',
      examples: ['prod'],
    }),
    attach: Type.Optional(
      Type.Boolean({
        description:
          'true: use the records that the cluster has of a namespace of this name. false: start empty, and refuse with ' +
          '`namespace_exists` if there are records. Default: false.',
      }),
    ),
    dataCentre: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 63,
        description: 'Data centre that requests go to. Unset: any.',
      }),
    ),
    reads: Type.Optional(
      choice(consistencies, { description: 'Replicas that answer a read. Default: `local_quorum`.' }),
    ),
    writes: Type.Optional(
      choice([...consistencies, 'each_quorum'], {
        description: 'Replicas that have a write before it is acknowledged. Default: `local_quorum`.',
      }),
    ),
    serial: Type.Optional(
      choice(['everywhere', 'local'], {
        description:
          'Where writes of one record take turns. `local`: in one data centre, if no other one writes. Default: `local`.',
      }),
    ),
    replication: Type.Optional(
      Type.Union([Type.Integer(copies), Type.Record(Type.String(), Type.Integer(copies))], {
        description:
          'Copies of each record: a number, or an object of data centres and numbers. It counts when the keyspace is ' +
          'created. Default: 3.',
        examples: [3, { dc1: 3, dc2: 2 }],
      }),
    ),
    timeoutMs: Type.Optional(milliseconds('Timeout of one request to a node, in milliseconds. Default: 5000.')),
    connectTimeoutMs: Type.Optional(milliseconds('Timeout of a connection to a node, in milliseconds. Default: 5000.')),
    inFlight: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 32_768,
        description: 'Most requests to the cluster in flight; others wait. Default: 1024.',
      }),
    ),
    speculation: Type.Optional(
      Type.Object(
        {
          afterMs: Type.Integer({ minimum: 1, maximum: 600_000, description: 'Wait before each, in milliseconds.' }),
          most: Type.Integer({ minimum: 0, maximum: 8, description: 'Other replicas to ask. 0: none.' }),
        },
        {
          additionalProperties: false,
          description: 'Asks other replicas if a read is slow. Default: `{"afterMs":300,"most":2}`.',
        },
      ),
    ),
  },
  {
    title: 'ClusterConfig',
    description: 'Only for `cassandra`, and required there: the cluster that has the records.',
    additionalProperties: false,
    examples: [{ name: 'prod', replication: 3 }],
  },
)

export const KnownCluster = Type.Object(
  {
    name: text('Name for `storage.cluster.name`.'),
    contactPoints: Type.Array(Type.String(), { description: 'Nodes that are asked first: `host` or `host:port`.' }),
    encrypted: flag('True if connections use TLS.'),
    problem: Type.Optional(text('Why no namespace can use it. Unset: it is described as it must be.')),
    namespaces: Type.Array(Type.String(), { description: 'Namespaces of this server that use it.' }),
    dataCentres: Type.Array(
      Type.Object(
        {
          name: text('Name of the data centre.'),
          nodes: count('Nodes in it.'),
          connected: count('Nodes that this server is connected to.'),
        },
        { description: 'A data centre.' },
      ),
      { description: 'Data centres, as an open namespace sees them. Empty if none of its namespaces is open.' },
    ),
  },
  { title: 'KnownCluster', description: 'A cluster that the operator has described, without user and password.' },
)

export const KnownClusters = Type.Object(
  {
    configured: flag('True if `TESSERA_CLUSTERS` names a file.'),
    problem: Type.Optional(text('Why that file cannot be used. Unset: it can.')),
    items: Type.Array(KnownCluster, { description: 'The clusters in that file, by name.' }),
  },
  { title: 'KnownClusters', description: 'The clusters that namespaces may use.', examples: [knownClusters] },
)
export type KnownClusters = Static<typeof KnownClusters>

export const ClusterNode = Type.Object(
  {
    id: text('Host id of the node.'),
    address: text('Address of the node.'),
    dataCentre: Type.Optional(text('Data centre of the node.')),
    rack: Type.Optional(text('Rack of the node.')),
    connected: flag('True if this server has a connection to it.'),
  },
  { title: 'ClusterNode', description: 'A node of a cluster.' },
)

export const ClusterUse = Type.Object(
  {
    name: text('Name that the cluster has for itself.'),
    keyspace: text('Keyspace of the records.'),
    nodes: Type.Array(ClusterNode, { description: 'The nodes that the cluster tells of.' }),
  },
  { title: 'ClusterUse', description: 'The cluster of an open `cassandra` namespace, as this server sees it.' },
)
export type ClusterUse = Static<typeof ClusterUse>

export const ClusterRate = Type.Object(
  {
    count: count('Operations since the node was started.'),
    perSecond: number('Operations per second over the last five minutes, as the node averages them.'),
  },
  { title: 'ClusterRate', description: "A node's own reads or writes of the records of the namespace." },
)
export type ClusterRate = Static<typeof ClusterRate>

export const ClusterViewNode = Type.Object(
  {
    ...ClusterNode.properties,
    state: Type.Optional(
      text('State that the nodes tell each other: `NORMAL`, `LEAVING` and so on. Unset: nobody told.'),
    ),
    loadBytes: Type.Optional(bytes('What the node has on its disks, as the nodes tell each other')),
    version: Type.Optional(text('Version of Cassandra.')),
    tokens: count('Tokens that the node owns.'),
    share: Type.Number({ minimum: 0, maximum: 1, description: 'Part of the records that it has a copy of.' }),
    hintFiles: Type.Optional(
      count('Files with writes that it has missed, and that other nodes keep for it. Unset: nobody told.'),
    ),
    answerMs: Type.Optional(ms('How long a small question to it took', 'Unset: it did not answer.')),
    schemaVersion: Type.Optional(text('Version of the schema that it has.')),
    reads: Type.Optional(ClusterRate),
    writes: Type.Optional(ClusterRate),
    error: Type.Optional(text('Why it told nothing of itself, though this server is connected to it.')),
  },
  { title: 'ClusterViewNode', description: 'A node of a cluster, as it and its neighbours tell it.' },
)
export type ClusterViewNode = Static<typeof ClusterViewNode>

export const ClusterRange = Type.Object(
  {
    first: text('Smallest token of the range.'),
    last: text('Largest token of the range.'),
    replicas: Type.Array(count('Position of a node in `nodes`.'), {
      description: 'Nodes that have the records of the range. The first one owns the token.',
    }),
  },
  { title: 'ClusterRange', description: 'A range of tokens, and who has its records.' },
)
export type ClusterRange = Static<typeof ClusterRange>

export const ClusterView = Type.Object(
  {
    name: text('Name that the cluster has for itself.'),
    keyspace: text('Keyspace of the records.'),
    nodes: Type.Array(ClusterViewNode, { description: 'The nodes that the cluster tells of.' }),
    ranges: Type.Array(ClusterRange, {
      maxItems: 512,
      description: 'Ranges of tokens from the smallest token to the largest, without gaps.',
    }),
    exact: flag('False if the cluster has more than 512 ranges: then each is a 512th, with the nodes of its middle.'),
  },
  {
    title: 'ClusterView',
    description: 'The cluster of a namespace, as its nodes tell it now.',
    examples: [clusterView],
  },
)
export type ClusterView = Static<typeof ClusterView>
