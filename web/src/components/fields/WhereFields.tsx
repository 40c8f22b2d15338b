import { JsonEditor } from '../../editor/JsonEditor'
import { faultOf } from '../../records/json-scan'
import { emptyRow } from '../../records/request/filter'
import { emptyGroup, nodeProblem, type WhereGroup, type WhereNode } from '../../records/request/where'
import { Button } from '../../ui/Button'
import { FieldRow } from '../../ui/FieldRow'
import { Icon } from '../../ui/Icon'
import { SmallSelect } from '../../ui/inputs'
import { Switch } from '../../ui/Switch'
import { FilterRowFields } from './FilterRowFields'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

interface Props {
  bins: string[]
  group: WhereGroup
  onChange: (group: WhereGroup) => void
  /** absent at the top */
  onRemove?: () => void
}

/** Tests joined by and/or; groups can be nested. */
export function WhereFields({ bins, group, onChange, onRemove }: Props) {
  const { join, not, nodes } = group
  const top = onRemove === undefined
  const set = (at: number, node: WhereNode): void =>
    onChange({ ...group, nodes: nodes.map((old, other) => (other === at ? node : old)) })
  const remove = (at: number): void => onChange({ ...group, nodes: nodes.filter((_, other) => other !== at) })
  const add = (node: WhereNode): void => onChange({ ...group, nodes: [...nodes, node] })
  const row: WhereNode = { kind: 'test', row: { ...emptyRow, bin: bins[0] ?? '' } }
  return (
    <div
      className={top ? 'stack-small' : 'stack-small where-group'}
      role="group"
      aria-label={top ? t('Filter') : t('Group')}
    >
      <div className="spread">
        {top && <strong className="small">{t('Filter')}</strong>}
        {nodes.length === 0 && top ? (
          <span className="mute small">{t('none: all records')}</span>
        ) : (
          <span className="row">
            <SmallSelect
              label={t('Match all or any of the conditions')}
              value={join}
              choices={[
                { value: 'and', label: t('all match') },
                { value: 'or', label: t('any matches') },
              ]}
              onChange={(next) => onChange({ ...group, join: next })}
            />
            <Switch label={t('Negate this group')} checked={not} onChange={(next) => onChange({ ...group, not: next })}>
              {t('not')}
            </Switch>
            {!top && (
              <Button look="quiet" aria-label={t('Remove this group')} onClick={onRemove}>
                <Icon name="close" />
              </Button>
            )}
          </span>
        )}
      </div>
      {nodes.map((node, at) =>
        node.kind === 'group' ? (
          <WhereFields
            key={at}
            bins={bins}
            group={node}
            onChange={(next) => set(at, next)}
            onRemove={() => remove(at)}
          />
        ) : node.kind === 'test' ? (
          <FilterRowFields
            key={at}
            bins={bins}
            row={node.row}
            onChange={(next) => set(at, { kind: 'test', row: next })}
            onRemove={() => remove(at)}
          />
        ) : (
          <JsonTest
            key={at}
            bins={bins}
            text={node.text}
            problem={nodeProblem(node)}
            onChange={(text) => set(at, { kind: 'json', text })}
            onRemove={() => remove(at)}
          />
        ),
      )}
      <div className="row">
        <Button small onClick={() => add(row)}>
          <Say text="{icon}Add a condition" values={{ icon: <Icon name="plus" /> }} />
        </Button>
        <Button
          small
          look="quiet"
          onClick={() => add({ ...emptyGroup, join: join === 'and' ? 'or' : 'and', nodes: [row] })}
        >
          {t('Add a group')}
        </Button>
      </div>
    </div>
  )
}

/** A test that a row cannot show; it is edited as JSON. */
function JsonTest({
  bins,
  text,
  problem,
  onChange,
  onRemove,
}: {
  bins: string[]
  text: string
  problem: string | undefined
  onChange: (text: string) => void
  onRemove: () => void
}) {
  return (
    <FieldRow errors={{ text: problem }}>
      {(control) => (
        <div className="json-test">
          <JsonEditor
            aria-label={t('Condition as JSON')}
            {...control('text')}
            value={text}
            rows={1}
            plain
            fault={faultOf(text)}
            guide={{ body: { operation: 'query', member: 'where' }, bins }}
            onChange={onChange}
          />
          <Button look="quiet" aria-label={t('Remove this condition')} onClick={onRemove}>
            <Icon name="close" />
          </Button>
        </div>
      )}
    </FieldRow>
  )
}
