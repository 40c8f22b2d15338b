// Published figures and statements that experiment segments repeats: segmented data containers against one flat map.
import type { Published } from '../../schemas/jobs/lab.js'

export const published: Published = {
  columns: [
    { key: 'operation', label: 'operation' },
    { key: 'says', label: 'segmented against flat' },
    { key: 'low', label: 'ratio, from' },
    { key: 'high', label: 'to' },
  ],
  rows: [
    { operation: 'size', says: 'almost three times as fast', low: 3, high: 3 },
    { operation: 'iterate', says: '5 to 12% faster', low: 1.05, high: 1.12 },
    { operation: 'get', says: 'within 1%', low: 0.99, high: 1.01 },
    { operation: 'put', says: 'within 1%', low: 0.99, high: 1.01 },
  ],
  statements: [
    { says: 'Counting entries is almost three times as fast with segments.', claims: ['size'] },
    { says: 'Iteration over all entries is 5 to 12% faster.', claims: ['iterate'] },
    { says: 'Get and put are within 1% of each other.', claims: ['get', 'put'] },
  ],
  note: 'Infinispan 9.3: 4 nodes, 2 owners, 256 segments, values of 1000 bytes, 50,000 entries, batches of 4096. Sizes and iterations cover the segments this node is the primary owner of. Here a pair is one run on each container, one right after the other, in alternating order. A ratio is the median of the pairs, with quartiles.',
}
