// Portal: the providers and the frame around all pages.
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Router } from 'wouter';
import { createQueryClient } from './graphql/client.ts';
import { Pages } from './pages.tsx';
import { navigateGuarded } from './session/leaving.ts';
import { answerRefusal } from './session/refused.ts';
import { showStoredMessage } from './session/start-over.ts';
import { Announcer } from './shell/announcer.tsx';
import { LeaveQuestion } from './shell/leave-question.tsx';
import { styleNonce } from './style-nonce.ts';
import { cssVariables, theme } from './theme.ts';

const colorSchemes = localStorageColorSchemeManager({ key: 'portico-color-scheme' });

export function App() {
  const [client] = useState(() => createQueryClient((code) => answerRefusal(client, code)));
  useEffect(showStoredMessage, []);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={colorSchemes}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <QueryClientProvider client={client}>
        <Router base="/portal" aroundNav={navigateGuarded}>
          <Announcer />
          <LeaveQuestion />
          <Notifications position="bottom-right" autoClose={6000} />
          <Pages />
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  );
}
