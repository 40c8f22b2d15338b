import type { KeyboardEvent, ReactNode } from 'react'
import type { Asked } from '../../../records/found'
import type { WhereNode } from '../../../records/request/where'
import { Button } from '../../../ui/Button'
import { Icon } from '../../../ui/Icon'
import type { Plan } from '../../query/plan/plan'
import { chipsOf, chipsText, chipText, withChip } from './chips'
import { FilterEditor } from './FilterEditor'
import { chipHint } from './hint'
import { t } from '../../../language/text'
import { Say } from '../../../language/Say'
import { Tip } from '../../../ui/Tip'

interface Props {
  ns: string
  set: string
  /** names that it suggests */
  bins: readonly string[]
  asked: Asked
  /** how the list is found; undefined until it is known */
  plan: Plan | undefined
  onChange: (asked: Asked) => void
  /** what the whole list costs, or how far it is */
  children: ReactNode
}

/** The filter and the order of a list as chips, each with its cost. */
export function FilterBar({ ns, set, bins, asked, plan, onChange, children }: Props) {
  const chips = chipsOf(asked.where)
  const put = (next: readonly WhereNode[]): void => onChange({ ...asked, where: chipsText(next) })
  const editor = (at: number | undefined) => ({
    ns,
    set,
    bins,
    askedWith: (chip: WhereNode): Asked => ({ ...asked, where: chipsText(withChip(chips, at, chip)) }),
    onApply: (chip: WhereNode) => put(withChip(chips, at, chip)),
  })
  return (
    <div className="filter-bar" role="group" aria-label={t('Filters')} onKeyDown={removeByKey}>
      {chips.map((chip, at) => (
        <span key={`${at} ${chipText(chip)}`} className="filter-chip">
          {chip.kind === 'test' ? (
            <FilterEditor
              {...editor(at)}
              row={chip.row}
              label={t('Filter: {chip}', { chip: chipText(chip) })}
              button={
                <Tip cut text={chipText(chip)}>
                  <button type="button" className="text">
                    {chipText(chip)}
                  </button>
                </Tip>
              }
            />
          ) : (
            <Tip cut text={chipText(chip)}>
              <span className="text">{chipText(chip)}</span>
            </Tip>
          )}
          {plan !== undefined && <Cost chip={chip} plan={plan} />}
          <button
            type="button"
            className="remove"
            aria-label={t('Remove the filter: {chip}', { chip: chipText(chip) })}
            onClick={() => put(withChip(chips, at, undefined))}
          >
            <Icon name="close" />
          </button>
        </span>
      ))}
      {asked.from !== undefined && (
        <span className="filter-chip">
          <span className="text">{t('from the key {key} on', { key: asked.from.text })}</span>
          <button
            type="button"
            className="remove"
            aria-label={t('List from the first record')}
            onClick={() => onChange({ ...asked, from: undefined })}
          >
            <Icon name="close" />
          </button>
        </span>
      )}
      {asked.by !== undefined && (
        <span className="filter-chip">
          <span className="text">
            {asked.desc ? t('{by}, descending', { by: asked.by }) : t('{by}, ascending', { by: asked.by })}
          </span>
          <button
            type="button"
            className="remove"
            aria-label={t('Remove the order')}
            onClick={() => onChange({ ...asked, by: undefined, desc: false })}
          >
            <Icon name="close" />
          </button>
        </span>
      )}
      <FilterEditor
        {...editor(undefined)}
        label={t('New filter')}
        button={
          <Button look="quiet" small>
            <Say text="{icon}Filter" values={{ icon: <Icon name="plus" /> }} />
          </Button>
        }
      />
      {(chips.length > 0 || asked.by !== undefined) && (
        <Button look="quiet" small onClick={() => onChange({ where: '', by: undefined, desc: false })}>
          {t('Clear')}
        </Button>
      )}
      <span className="end">{children}</span>
    </div>
  )
}

function Cost({ chip, plan }: { chip: WhereNode; plan: Plan }) {
  const { tone, text } = chipHint(chip, plan)
  return <span className={`cost ${tone}`}>{text}</span>
}

/** Delete and Backspace on a chip remove it. */
function removeByKey({ key, target }: KeyboardEvent): void {
  if ((key !== 'Delete' && key !== 'Backspace') || !(target instanceof HTMLElement)) return
  if (target.matches('.filter-chip > button'))
    target.closest('.filter-chip')?.querySelector<HTMLElement>('.remove')?.click()
}
