import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useBinNames, useSample } from '../../../components/fields/use-sample'
import { useOwnSignal } from '../../../components/use-own-signal'
import type { RecordKey } from '../../../records/key'
import type { WhereNode } from '../../../records/request/where'
import { Button } from '../../../ui/Button'
import { TextField } from '../../../ui/inputs'
import { Problem } from '../../../ui/Problem'
import { Tip } from '../../../ui/Tip'
import { chipText, searchChip } from '../filter/chips'
import { firstThere, keysOf } from './find'
import { t } from '../../../language/text'

interface Props {
  ns: string
  set: string | undefined
  onOpen: (key: RecordKey) => void
  /** lists the records from this one on */
  onJump: (key: RecordKey) => void
  onSearch: (chip: WhereNode) => void
}

/** One field for a key, a digest or a value: it opens the record, or offers to search the bins. */
export function FindField({ ns, set, onOpen, onJump, onSearch }: Props) {
  const [text, setText] = useState('')
  const { begin } = useOwnSignal()
  const look = useMutation({
    mutationFn: ({ asked, jumps }: { asked: string; jumps: boolean }) =>
      firstThere(
        ns,
        set ?? '',
        keysOf(asked).filter(({ type }) => !jumps || type !== 'digest'),
        begin(),
      ),
    onSuccess: (key, { jumps }) => {
      if (key !== undefined) (jumps ? onJump : onOpen)(key)
    },
  })
  const missing = look.isSuccess && look.data === undefined && look.variables.asked === text ? text : undefined
  return (
    <form
      className="find"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        if (text !== '' && set !== undefined) look.mutate({ asked: text, jumps: false })
      }}
    >
      <div className="find-row">
        <TextField
          label={t('Open a key or find a value')}
          value={text}
          onChange={setText}
          mono
          placeholder={t('key, digest or value')}
        />
        <Button type="submit" disabled={set === undefined || text === ''} busy={look.isPending}>
          {t('Find')}
        </Button>
        <Tip text={t('Lists the records from this key on, in the order of the index.')}>
          <Button disabled={set === undefined || text === ''} onClick={() => look.mutate({ asked: text, jumps: true })}>
            {t('List from here')}
          </Button>
        </Tip>
      </div>
      <Problem error={look.variables?.asked === text ? look.error : null} />
      <div aria-live="polite">
        {missing !== undefined && set !== undefined && (
          <Nothing
            ns={ns}
            set={set}
            text={missing}
            onSearch={(chip) => {
              look.reset()
              onSearch(chip)
            }}
          />
        )}
      </div>
    </form>
  )
}

interface NothingProps {
  ns: string
  set: string
  text: string
  onSearch: (chip: WhereNode) => void
}

/** No record has this key, so its bins may have it as a value. */
function Nothing({ ns, set, text, onSearch }: NothingProps) {
  const sample = useSample(ns, set)
  const names = useBinNames(ns, set)
  const chip = searchChip(sample, names, text)
  return (
    <div className="row find-nothing">
      <span className="mute">{t('No record has this key.')}</span>
      {chip === undefined ? (
        <span className="mute">
          {t('No bin of the first records has values of this kind: add a filter to search one.')}
        </span>
      ) : (
        <Tip text={chipText(chip)}>
          <Button small onClick={() => onSearch(chip)}>
            {t('Search the bins for this value')}
          </Button>
        </Tip>
      )}
    </div>
  )
}
