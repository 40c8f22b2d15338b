import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import type { SavedQuery } from '../../api/types'
import { useMay } from '../../api/use-may'
import { useBinNames } from '../../components/fields/use-sample'
import { JsonField } from '../../editor/JsonField'
import { faultOf, faultWords } from '../../records/json-scan'
import { compactRequest, fitsAddress, readRequest, setNameOf } from '../../records/request/request'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { CopyButton } from '../../ui/Copy'
import { QueryDrawer } from './QueryDrawer'
import { SaveDialog } from './SaveDialog'
import { t } from '../../language/text'

interface Props {
  ns: string
  text: string
  saved: SavedQuery | undefined
  onChange: (text: string) => void
  /** called with the id after saving */
  onSaved: (id: string) => void
  onRemoved: (id: string) => void
  onOpen: (ns: string, text: string, saved?: string) => void
}

/** The whole request as JSON, in sync with the form, to save, open and share. */
export function RequestCard({ ns, text, saved, onChange, onSaved, onRemoved, onOpen }: Props) {
  const [dialog, setDialog] = useState<'save' | 'open'>()
  const saves = useMay()('saveQuery', { namespace: ns })
  const close = (): void => setDialog(undefined)
  const link = useLink(ns, text, saved)
  const bins = useBinNames(ns, setNameOf(text))
  const fault = faultOf(text)
  const problem = fault
    ? faultWords(text, fault)
    : readRequest(text) === undefined
      ? t('Enter a JSON object')
      : undefined
  return (
    <Card
      title={t('Request')}
      aside={saved === undefined ? t('as JSON, in sync with the form') : <SavedName saved={saved} text={text} />}
      end={
        <>
          <Button small onClick={() => setDialog('open')}>
            {t('Saved and history')}
          </Button>
          {saves && (
            <Button small disabled={problem !== undefined} onClick={() => setDialog('save')}>
              {t('Save')}
            </Button>
          )}
          {link !== undefined && <CopyButton text={link} label={t('Copy link')} />}
        </>
      }
    >
      <JsonField
        label={t('Request as JSON')}
        value={text}
        onChange={onChange}
        rows={Math.min(18, Math.max(4, text.split('\n').length))}
        error={problem}
        fault={fault}
        guide={{ body: { operation: 'query' }, bins }}
        {...(link === undefined && {
          hint: saves ? t('Too long for a link. Save the query to share it.') : t('Too long for a link.'),
        })}
      />
      <SaveDialog open={dialog === 'save'} ns={ns} text={text} saved={saved} onClose={close} onSaved={onSaved} />
      <QueryDrawer open={dialog === 'open'} onClose={close} onOpen={onOpen} onRemoved={onRemoved} />
    </Card>
  )
}

function SavedName({ saved, text }: { saved: SavedQuery; text: string }) {
  const changed = compactRequest(saved.request) !== compactRequest(text)
  return (
    <>
      <strong>{saved.name}</strong>
      {changed && t(', changed')}
    </>
  )
}

/** The address to share this request; undefined if it is too long and not saved. */
function useLink(ns: string, text: string, saved: SavedQuery | undefined): string | undefined {
  const router = useRouter()
  const compact = compactRequest(text)
  const search = fitsAddress(compact)
    ? { ns, request: compact }
    : saved !== undefined && compactRequest(saved.request) === compact
      ? { ns, saved: saved.id }
      : undefined
  return search && new URL(router.buildLocation({ to: '/query', search }).publicHref, location.origin).href
}
