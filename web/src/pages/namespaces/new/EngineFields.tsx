import type { KnownClusters } from '../../../api/types'
import { NumberField } from '../../../ui/NumberField'
import { firstCluster, whyNoCluster } from './cluster'
import { ClusterFields } from './ClusterFields'
import { DeviceFields } from './DeviceFields'
import { PagedFields } from './PagedFields'
import type { NamespaceForm, Problems } from './fields'
import { isLocal, withEngine } from './form'
import { t } from '../../../language/text'

const engines = [
  { value: 'memory', words: t('Records in DRAM. The fastest engine; records are lost when the server stops.') },
  {
    value: 'device',
    words: t('Records on SSD, index in DRAM. Survives restarts. A read costs at most one device read.'),
  },
  {
    value: 'paged',
    words: t(
      'Records and index on SSD in pages, with a cache and a write-ahead log. Use it if records and index are larger than memory.',
    ),
  },
] as const

interface Props {
  form: NamespaceForm
  set: (part: Partial<NamespaceForm>) => void
  problems: Problems
  /** Clusters to choose from. Unset: only engines of this machine are offered. */
  clusters?: KnownClusters | undefined
  /** Whether records are brought there: then there must be none. */
  isTarget?: boolean
}

/** Storage engine, and what it is made of. */
export function EngineFields({ form, set, problems, clusters, isTarget = false }: Props) {
  return (
    <>
      <fieldset className="choices">
        <legend>{t('Storage engine')}</legend>
        {engines.map(({ value, words }) => (
          <label key={value} className="choice">
            <input type="radio" name="engine" checked={form.engine === value} onChange={() => set(withEngine(value))} />
            <span>
              <strong>{value}</strong>
              <span className="mute">{words}</span>
            </span>
          </label>
        ))}
        {clusters !== undefined && <ClusterChoice form={form} set={set} clusters={clusters} />}
      </fieldset>
      {(form.engine === 'device' || form.engine === 'paged') && (
        <div className="grid-2">
          <NumberField
            label={t('Capacity, GiB')}
            decimal
            value={form.capacityGib}
            onChange={(capacityGib) => set({ capacityGib })}
            error={problems.capacityGib}
            placeholder={t('the size of the disk')}
            hint={t('Maximum size on disk')}
          />
          <NumberField
            label={t('Flush interval, ms')}
            value={form.flushIntervalMs}
            onChange={(flushIntervalMs) => set({ flushIntervalMs })}
            error={problems.flushIntervalMs}
            placeholder="1000"
            hint={t('Longest wait of a relaxed write for the disk')}
          />
        </div>
      )}
      {form.engine === 'device' && <DeviceFields form={form} set={set} problems={problems} />}
      {form.engine === 'paged' && <PagedFields form={form} set={set} problems={problems} />}
      {!isLocal(form) && clusters !== undefined && (
        <ClusterFields form={form} set={set} problems={problems} clusters={clusters} isTarget={isTarget} />
      )}
      {form.engine === 'memory' && (
        <NumberField
          label={t('Maximum memory, GiB')}
          decimal
          value={form.maxMemoryGib}
          onChange={(maxMemoryGib) => set({ maxMemoryGib })}
          error={problems.maxMemoryGib}
          placeholder={t('a share of the memory')}
          hint={t('For records, without their index. Empty: a share with other such namespaces')}
        />
      )}
    </>
  )
}

interface ChoiceProps extends Pick<Props, 'form' | 'set'> {
  clusters: KnownClusters
}

/** The engine of a cluster; if there is none, how to get one. */
function ClusterChoice({ form, set, clusters }: ChoiceProps) {
  const why = whyNoCluster(clusters)
  const choose = () => set({ ...withEngine('cassandra'), cluster: form.cluster || firstCluster(clusters) })
  return (
    <label className="choice">
      <input type="radio" name="engine" disabled={why !== undefined} checked={!isLocal(form)} onChange={choose} />
      <span>
        <strong>{'cassandra'}</strong>
        <span className="mute">
          {t(
            'Records on an Apache Cassandra cluster, with copies on several machines. Use it if they outgrow one machine, or must outlive it.',
          )}
        </span>
        {why !== undefined && <span>{why}</span>}
      </span>
    </label>
  )
}
