// Clusters as they are in the API description.
export const clusterView = {
  name: 'tessera-local',
  keyspace: 'ts_orders',
  nodes: [
    {
      id: '30a4ad90-9a0b-49c9-97cb-bb97d9ef13db',
      address: '10.0.0.1',
      dataCentre: 'datacenter1',
      rack: 'rack1',
      connected: true,
      state: 'NORMAL',
      loadBytes: 118_960,
      version: '5.0.9',
      tokens: 16,
      share: 1,
      hintFiles: 0,
      answerMs: 1.2,
      schemaVersion: 'd03783d7-b468-3c1a-82f1-8e30b2edde8b',
      reads: { count: 1200, perSecond: 40.5 },
      writes: { count: 600, perSecond: 20.2 },
    },
  ],
  ranges: [{ first: '-9223372036854775808', last: '9223372036854775807', replicas: [0] }],
  exact: true,
}

/** Clusters that an operator has described. */
export const knownClusters = {
  configured: true,
  items: [
    {
      name: 'prod',
      contactPoints: ['10.0.0.1', '10.0.0.2:9042'],
      encrypted: true,
      namespaces: ['orders'],
      dataCentres: [{ name: 'datacenter1', nodes: 3, connected: 3 }],
    },
  ],
}
