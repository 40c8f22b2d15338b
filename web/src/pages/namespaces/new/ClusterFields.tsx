import type { KnownClusters } from '../../../api/types'
import { Help } from '../../../ui/Help'
import { SelectField, TextField } from '../../../ui/inputs'
import { NumberField } from '../../../ui/NumberField'
import { clusterDefaults, clusterMeaning } from './cluster'
import type { ClusterForm, NamespaceForm, Problems } from './fields'
import { t } from '../../../language/text'

const READS = [
  { value: 'one', label: t('one: any copy') },
  { value: 'local_one', label: t('local_one: one copy in the data centre') },
  { value: 'local_quorum', label: t('local_quorum: most copies in the data centre') },
  { value: 'quorum', label: t('quorum: most copies of all data centres') },
  { value: 'all', label: t('all: every copy') },
] as const
const WRITES = [
  ...READS.slice(0, 4),
  { value: 'each_quorum', label: t('each_quorum: most copies in each data centre') },
  ...READS.slice(4),
] as const
const SERIALS = [
  { value: 'local', label: t('local: in one data centre, if no other writes') },
  { value: 'everywhere', label: t('everywhere: in all data centres') },
] as const
const fresh = {
  everywhere: t('found by every read'),
  local: t('found in the data centre of its write'),
  no: t('a read may miss it'),
} as const

interface Props {
  form: NamespaceForm
  set: (part: Partial<NamespaceForm>) => void
  problems: Problems
  clusters: KnownClusters
  isTarget: boolean
}

/** Which cluster, how many copies, and how many of them answer. */
export function ClusterFields({ form, set, problems, clusters, isTarget }: Props) {
  const choices = clusters.items.map(({ name, contactPoints, encrypted }) => ({
    value: name,
    label: `${name}: ${contactPoints[0] ?? ''}${contactPoints.length > 1 ? ' …' : ''}${encrypted ? ', TLS' : ''}`,
  }))
  const chosen = clusters.items.find(({ name }) => name === form.cluster)
  const centres = chosen?.dataCentres ?? []
  const seen = centres
    .map(({ name, nodes }) => t('{name} with {nodes, plural, one {# node} other {# nodes}}', { name, nodes }))
    .join(', ')
  return (
    <>
      <div className="grid-2">
        <SelectField
          label={t('Cluster')}
          value={form.cluster}
          choices={choices}
          onChange={(cluster) => set({ cluster })}
          hint={seen === '' ? t('As the operator has described it') : seen}
          error={problems.cluster ?? chosen?.problem}
        />
        <TextField
          label={t('Data centre')}
          value={form.dataCentre}
          onChange={(dataCentre) => set({ dataCentre })}
          error={problems.dataCentre}
          placeholder={t('any')}
          hint={t('Requests go to its nodes')}
        />
        {!form.attach && (
          <TextField
            label={t('Copies of each record')}
            value={form.copies}
            onChange={(copies) => set({ copies })}
            error={problems.copies}
            placeholder={String(clusterDefaults.copies)}
            hint={t('A number, or one for each data centre: dc1 3, dc2 2')}
          />
        )}
      </div>
      <SelectField
        label={t('Writes take turns')}
        value={form.serial}
        choices={SERIALS}
        onChange={(serial) => set({ serial })}
        hint={t('Servers in several data centres need everywhere')}
      />
      <SelectField
        label={t('A read asks')}
        value={form.clusterReads}
        choices={READS}
        onChange={(clusterReads) => set({ clusterReads })}
        error={problems.clusterReads}
      />
      <SelectField
        label={t('A write waits for')}
        value={form.clusterWrites}
        choices={WRITES}
        onChange={(clusterWrites) => set({ clusterWrites })}
        error={problems.clusterWrites}
      />
      {!isTarget && (
        <label className="check">
          <input type="checkbox" checked={form.attach} onChange={(event) => set({ attach: event.target.checked })} />
          <span>{t('Attach: use the records that the cluster has of a namespace of this name')}</span>
        </label>
      )}
      {!form.attach && <Meaning form={form} />}
      <Help summary={t('Advanced: timeouts, requests in flight, slow reads')}>
        <div className="grid-2">
          <NumberField
            label={t('Timeout of a request, ms')}
            value={form.timeoutMs}
            onChange={(timeoutMs) => set({ timeoutMs })}
            error={problems.timeoutMs}
            placeholder={String(clusterDefaults.timeoutMs)}
          />
          <NumberField
            label={t('Timeout of a connection, ms')}
            value={form.connectTimeoutMs}
            onChange={(connectTimeoutMs) => set({ connectTimeoutMs })}
            error={problems.connectTimeoutMs}
            placeholder={String(clusterDefaults.timeoutMs)}
          />
          <NumberField
            label={t('Requests in flight')}
            value={form.inFlight}
            onChange={(inFlight) => set({ inFlight })}
            error={problems.inFlight}
            placeholder={String(clusterDefaults.inFlight)}
            hint={t('Others wait')}
          />
          <NumberField
            label={t('A slow read asks others after, ms')}
            value={form.speculationAfterMs}
            onChange={(speculationAfterMs) => set({ speculationAfterMs })}
            error={problems.speculationAfterMs}
            placeholder={String(clusterDefaults.speculationAfterMs)}
          />
          <NumberField
            label={t('How many others')}
            value={form.speculationMost}
            onChange={(speculationMost) => set({ speculationMost })}
            error={problems.speculationMost}
            placeholder={String(clusterDefaults.speculationMost)}
            hint={t('0: none')}
          />
        </div>
      </Help>
    </>
  )
}

function Meaning({ form }: { form: ClusterForm }) {
  const meaning = clusterMeaning(form)
  if (meaning === undefined) return null
  const { copies, read, write, readsWithout, writesWithout } = meaning
  const spare = (away: number): string => (away === 0 ? t('none may be away') : t('{away} may be away', { away }))
  return (
    <div className="note">
      <strong>{t('What {copies, plural, one {# copy} other {# copies}} mean', { copies })}</strong>
      <dl className="facts">
        <dt>{t('reads')}</dt>
        <dd>{t('{read} of {copies}, {readsWithout}', { read, copies, readsWithout: spare(readsWithout) })}</dd>
        <dt>{t('writes')}</dt>
        <dd>{t('{write} of {copies}, {writesWithout}', { write, copies, writesWithout: spare(writesWithout) })}</dd>
        <dt>{t('newest version')}</dt>
        <dd className={meaning.fresh === 'no' ? 'warn' : undefined}>{fresh[meaning.fresh]}</dd>
      </dl>
    </div>
  )
}
