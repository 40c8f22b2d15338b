import type { CapacityPlan } from '../../api/types'
import { Tile } from '../../components/Tile'
import { bytes, count, fixed, rate } from '../../format'
import { Card } from '../../ui/Card'
import { t } from '../../language/text'

interface Part {
  label: string
  value: number
  colour: string
}

const colours = [
  'var(--fill-accent)',
  'var(--fill-good)',
  'var(--fill-warn)',
  '#9a6fe0',
  '#3aa6b9',
  'var(--line-strong)',
]

const parts = (named: readonly (readonly [label: string, value: number])[]): Part[] =>
  named.map(([label, value], at) => ({ label, value, colour: colours[at % colours.length] ?? '' }))

/** The plan: totals, then their parts. */
export function CapacityResult({ plan: { record, dram, flash, device } }: { plan: CapacityPlan }) {
  return (
    <>
      <div className="grid-2 pair">
        <Tile
          name={t('DRAM')}
          value={bytes(dram.total)}
          note={t('{n} B per record and copy', { n: fixed(dram.perRecord, 1) })}
        />
        {flash === undefined ? (
          <Tile name={t('Flash')} value="none" note={t('records live in memory')} />
        ) : (
          <Tile
            name={t('Flash')}
            value={bytes(flash.total)}
            note={t('{perRecord} B per record and copy', { perRecord: count(Math.round(flash.perRecord)) })}
          />
        )}
        {device !== undefined && (
          <>
            <Tile
              name={t('Device reads')}
              value={rate(device.readIops)}
              note={`${bytes(device.readBytesPerSecond)}/s`}
            />
            <Tile
              name={t('Device writes')}
              value={rate(device.writeIops)}
              note={t('{writeBytesPerSecond}/s, in write blocks', {
                writeBytesPerSecond: bytes(device.writeBytesPerSecond),
              })}
            />
          </>
        )}
      </div>
      <Card
        title={t('One record')}
        aside={t('{stored, plural, one {# byte} other {# bytes}} as stored', { stored: record.stored })}
      >
        <Parts
          label={t('Bytes of one record by part')}
          show={(value) => `${count(value)} B`}
          parts={parts([
            [t('values'), record.binValues],
            [t('names and lengths of bins'), record.binNames],
            [t('key'), record.key],
            [t('header'), record.header],
            [t('set name'), record.setName],
            [t('padding'), record.padding],
          ])}
        />
      </Card>
      <Card title={t('DRAM by part')} aside={bytes(dram.total)}>
        <Parts
          label={t('Memory by part')}
          show={bytes}
          parts={parts([
            [t('records'), dram.records],
            [t('primary index'), dram.primaryIndex],
            [t('set indexes'), dram.setIndexes],
            [t('sets'), dram.sets],
            [t('write buffers'), dram.buffers],
          ])}
        />
      </Card>
      {flash !== undefined && device !== undefined && (
        <Card title={t('Flash')} aside={bytes(flash.total)}>
          <dl className="facts">
            <dt>{t('live records')}</dt>
            <dd>{bytes(flash.live)}</dd>
            <dt>{t('in write blocks')}</dt>
            <dd>{bytes(flash.blocks)}</dd>
            <dt>{t('write amplification')}</dt>
            <dd>{fixed(device.writeAmplification, 2)}</dd>
          </dl>
          <p className="mute small">
            {t(
              'Write amplification for uniformly random updates and greedy collection (Desnoyers, 2012). It is lower if some records are updated more often.',
            )}
          </p>
        </Card>
      )}
    </>
  )
}

function Parts({ label, parts: all, show }: { label: string; parts: Part[]; show: (value: number) => string }) {
  const total = Math.max(
    1,
    all.reduce((sum, { value }) => sum + value, 0),
  )
  return (
    <div className="stack-small">
      <div className="bars" role="img" aria-label={label}>
        {all.map(
          ({ label: name, value, colour }) =>
            value > 0 && <i key={name} style={{ width: `${(value / total) * 100}%`, background: colour }} />,
        )}
      </div>
      <ul className="legend-list">
        {all.map(({ label: name, value, colour }) => (
          <li key={name}>
            <i style={{ background: colour }} aria-hidden="true" />
            <span>{name}</span>
            <span className="num">{show(value)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
