import type { CapacityPlan } from '../../api/types'
import { Tile } from '../../components/Tile'
import { bytes, count, plural, rate } from '../../format'
import { Card } from '../../ui/Card'

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
        <Tile name="DRAM" value={bytes(dram.total)} note={`${dram.perRecord.toFixed(1)} B per record and copy`} />
        {flash === undefined ? (
          <Tile name="Flash" value="none" note="records live in memory" />
        ) : (
          <Tile
            name="Flash"
            value={bytes(flash.total)}
            note={`${count(Math.round(flash.perRecord))} B per record and copy`}
          />
        )}
        {device !== undefined && (
          <>
            <Tile name="Device reads" value={rate(device.readIops)} note={`${bytes(device.readBytesPerSecond)}/s`} />
            <Tile
              name="Device writes"
              value={rate(device.writeIops)}
              note={`${bytes(device.writeBytesPerSecond)}/s, in write blocks`}
            />
          </>
        )}
      </div>
      <Card title="One record" aside={`${plural(record.stored, 'byte')} as stored`}>
        <Parts
          label="Bytes of one record by part"
          show={(value) => `${count(value)} B`}
          parts={parts([
            ['values', record.binValues],
            ['names and lengths of bins', record.binNames],
            ['key', record.key],
            ['header', record.header],
            ['set name', record.setName],
            ['padding', record.padding],
          ])}
        />
      </Card>
      <Card title="DRAM by part" aside={bytes(dram.total)}>
        <Parts
          label="Memory by part"
          show={bytes}
          parts={parts([
            ['records', dram.records],
            ['primary index', dram.primaryIndex],
            ['set indexes', dram.setIndexes],
            ['sets', dram.sets],
            ['write buffers', dram.buffers],
          ])}
        />
      </Card>
      {flash !== undefined && device !== undefined && (
        <Card title="Flash" aside={bytes(flash.total)}>
          <dl className="facts">
            <dt>live records</dt>
            <dd>{bytes(flash.live)}</dd>
            <dt>in write blocks</dt>
            <dd>{bytes(flash.blocks)}</dd>
            <dt>write amplification</dt>
            <dd>{device.writeAmplification.toFixed(2)}</dd>
          </dl>
          <p className="mute small">
            Write amplification for uniformly random updates and greedy collection (Desnoyers, 2012). It is lower if
            some records are updated more often.
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
