// Operations: the reason and end of an override.
import { TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { MAX_REASON } from '#core/text-lengths.ts';
import { expiryFault } from '../../components/expiry-fault.ts';
import { ExpiryPicker, SHORT_SPANS } from '../../components/expiry-picker.tsx';
import { Time } from '../../components/time.tsx';
import type { ShadowTermsFragment } from '../../generated/operations.ts';
import classes from './limits.module.css';

export interface OccasionDraft {
  reason: string;
  endsAt: string | null;
}

/** The name of a shadow mode form among the drafts of the page. */
export const shadowDraft = (of: string): string => `shadow mode of ${of}`;

export const NO_OCCASION: OccasionDraft = { reason: '', endsAt: null };

export const OCCASION_RULES = {
  reason: (reason: string) => (reason.trim() === '' ? 'Say why: it is shown in the history.' : null),
  endsAt: expiryFault,
};

interface OccasionFieldsProps<Values extends OccasionDraft> {
  form: UseFormReturnType<Values>;
  /** Whether the chosen override can end by itself. */
  ends: boolean;
}

export function OccasionFields<Values extends OccasionDraft>({ form, ends }: OccasionFieldsProps<Values>) {
  const { values, errors, setFieldValue } = form as unknown as UseFormReturnType<OccasionDraft>;
  return (
    <>
      <TextInput
        label="Reason"
        description="Operations read it in the history; the firm does not."
        maxLength={MAX_REASON}
        required
        withAsterisk={false}
        {...form.getInputProps('reason')}
      />
      {ends && (
        <ExpiryPicker
          label="Ends"
          never="When somebody ends it"
          spans={SHORT_SPANS}
          value={values.endsAt}
          onChange={(endsAt) => setFieldValue('endsAt', endsAt)}
          error={errors.endsAt}
        />
      )}
    </>
  );
}

interface ChangeRow extends Omit<ShadowTermsFragment, 'shadowed'> {
  what: string;
}

/** Changes of an override, newest first, including ends that came by themselves. */
export function ChangeList({ rows }: { rows: readonly ChangeRow[] }) {
  return (
    <ol className={classes.history}>
      {rows.map(({ at, what, actor, reason, endsAt, ended }) => (
        <li key={`${at} ${what}`}>
          <span className="breakable">
            {what}
            {!ended && reason !== null && `: ${reason}`}
            {!ended && endsAt !== null && (
              <span className={classes.until}>
                {' '}
                until <Time at={endsAt} as="moment" />
              </span>
            )}
          </span>
          <span className={classes.who}>
            {ended ? 'By itself' : actor.name}, <Time at={at} as="moment" />
          </span>
        </li>
      ))}
    </ol>
  );
}
