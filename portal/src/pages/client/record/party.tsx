// Client: who made a recorded call.

interface PartyProps {
  firmName: string;
  /** Not null if Portico's staff read as if they were the firm. */
  toolRole: string | null;
}

export const Party = ({ firmName, toolRole }: PartyProps) => (
  <>
    {toolRole !== null && 'Portico’s staff, as '}
    <bdi>{firmName}</bdi>
  </>
);
