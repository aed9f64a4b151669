// Account: the colour scheme, stored in this browser.
import { SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { Section } from '../../components/page/section.tsx';

export function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Section title="Appearance" lead="Stored in this browser.">
      <SegmentedControl
        aria-label="Colour scheme"
        value={colorScheme}
        onChange={(scheme) => setColorScheme(scheme as 'auto' | 'light' | 'dark')}
        data={[
          { value: 'auto', label: 'As the system' },
          { value: 'light', label: 'Light' },
          { value: 'dark', label: 'Dark' },
        ]}
      />
    </Section>
  );
}
