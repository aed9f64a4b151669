// The reference's script: colour scheme (shared with the portal), search, copying, and the language of examples.

const SCHEME = 'portico-color-scheme';
const LANGUAGE = 'portico-example-language';

/** Storage may be disabled; then a choice lasts only for the page. */
const stored = {
  read(name) {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  },
  write(name, value) {
    try {
      localStorage.setItem(name, value);
    } catch {
      // Storage is disabled.
    }
  },
};

const root = document.documentElement;
const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

function isDark() {
  const chosen = root.dataset.scheme;
  return chosen === 'dark' || (chosen !== 'light' && systemIsDark.matches);
}

// Before the first paint.
{
  const chosen = stored.read(SCHEME);
  if (chosen === 'light' || chosen === 'dark') root.dataset.scheme = chosen;
  root.dataset.language = stored.read(LANGUAGE) ?? 'Shell';
}

function make(name, properties = {}, ...children) {
  const { dataset = {}, ...rest } = properties;
  const element = Object.assign(document.createElement(name), rest);
  Object.assign(element.dataset, dataset);
  element.append(...children);
  return element;
}

/** Status messages for screen readers. */
const news = make('p', { className: 'words', role: 'status' });

function addSchemeSwitch(header) {
  const button = make('button', { type: 'button', className: 'scheme' });
  const tell = () => {
    button.textContent = isDark() ? 'Light' : 'Dark';
    button.ariaLabel = isDark() ? 'Use light colours' : 'Use dark colours';
  };
  button.addEventListener('click', () => {
    root.dataset.scheme = isDark() ? 'light' : 'dark';
    stored.write(SCHEME, root.dataset.scheme);
    tell();
  });
  systemIsDark.addEventListener('change', tell);
  tell();
  header.append(button);
}

async function copy(text) {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  // Without TLS, browsers offer no other clipboard.
  const area = make('textarea', { value: text });
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (!done) throw new Error('the browser copied nothing');
}

function addCopyButtons() {
  for (const block of document.querySelectorAll('pre')) {
    const button = make('button', { type: 'button', className: 'copy', textContent: 'Copy' });
    button.addEventListener('click', async () => {
      const done = await copy(block.textContent).then(
        () => true,
        () => false,
      );
      button.textContent = done ? 'Copied' : 'Not copied';
      news.textContent = done ? 'Copied.' : 'Your browser did not allow it. Select the text and copy it.';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2000);
    });
    const frame = make('div', { className: 'code' });
    block.replaceWith(frame);
    frame.append(block, button);
  }
}

/** The chosen language applies to all examples. */
function addLanguageChoice() {
  const buttons = [];
  const choose = (language) => {
    root.dataset.language = language;
    stored.write(LANGUAGE, language);
    for (const button of buttons) button.ariaPressed = String(button.dataset.chooses === language);
  };
  for (const samples of document.querySelectorAll('.samples')) {
    const group = make('div', { className: 'languages', role: 'group', ariaLabel: 'Language of the example' });
    for (const sample of samples.querySelectorAll('.sample')) {
      const { language } = sample.dataset;
      const { textContent } = sample.querySelector('h5');
      const button = make('button', { type: 'button', textContent, dataset: { chooses: language } });
      button.addEventListener('click', () => {
        // Keeps the pressed example in place, although those above it change their height.
        const before = button.getBoundingClientRect().top;
        choose(language);
        scrollBy(0, button.getBoundingClientRect().top - before);
      });
      buttons.push(button);
      group.append(button);
    }
    samples.prepend(group);
  }
  const known = buttons.some(({ dataset }) => dataset.chooses === root.dataset.language);
  choose(known ? root.dataset.language : 'Shell');
}

/** Replaces the host in the examples by this deployment's. */
function nameDeployment() {
  for (const code of document.querySelectorAll('pre code')) {
    if (code.textContent.includes('https://portico.example'))
      code.textContent = code.textContent.replace('https://portico.example', location.origin);
  }
}

/** The search entries: title, place, and the text to search. */
function entries() {
  const found = [];
  const add = (element, title, place, text) =>
    found.push({ element, title, place, name: title.toLowerCase(), text: text.toLowerCase() });
  for (const heading of document.querySelectorAll('.prose [id]')) {
    let text = '';
    for (let next = heading.nextElementSibling; next !== null && !next.id; next = next.nextElementSibling)
      text += ` ${next.textContent}`;
    add(heading, heading.textContent, heading.id.startsWith('error-') ? 'Error' : 'Introduction', text);
  }
  for (const endpoint of document.querySelectorAll('.endpoint')) {
    const title = endpoint.querySelector('h3').textContent;
    add(endpoint, title, 'Endpoint', endpoint.querySelector('.address').textContent);
    for (const name of endpoint.querySelectorAll('.field .name')) {
      const row = name.closest('li');
      add(row, name.textContent, title, row.querySelector(':scope > p')?.textContent ?? '');
    }
  }
  for (const name of document.querySelectorAll('.fields.wide .name'))
    add(name.closest('li'), name.textContent, 'Response header', name.closest('li').textContent);
  return found;
}

const MAX_RESULTS = 30;

/** Matches at the start of the name come first, then those within the name, then those in the text. */
function search(all, typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const rank = ({ name, text }) => {
    if (name.startsWith(words.join(' '))) return 0;
    if (words.every((word) => name.includes(word))) return 1;
    return words.every((word) => `${name} ${text}`.includes(word)) ? 2 : 3;
  };
  return all
    .map((entry) => ({ entry, rank: rank(entry) }))
    .filter(({ rank }) => rank < 3)
    .sort((left, right) => left.rank - right.rank)
    .map(({ entry }) => entry);
}

/** Opens enclosing details of the element, and scrolls to it. */
function goTo({ element }) {
  for (let folded = element.closest('details'); folded; folded = folded.parentElement.closest('details'))
    folded.open = true;
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
  element.scrollIntoView();
  if (element.id !== '') history.replaceState(null, '', `#${element.id}`);
}

function addSearch(header) {
  const all = entries();
  const field = make('input', { type: 'search', placeholder: 'Search', ariaLabel: 'Search the reference' });
  field.autocomplete = 'off';
  const list = make('ul', { className: 'results', hidden: true });
  const box = make('search', { className: 'search' }, field, list);
  const close = () => {
    list.hidden = true;
  };
  const show = () => {
    const results = search(all, field.value);
    list.hidden = field.value.trim() === '';
    news.textContent = list.hidden ? '' : `${results.length} found`;
    list.replaceChildren(
      ...results.slice(0, MAX_RESULTS).map((entry) => {
        const button = make(
          'button',
          { type: 'button' },
          make('span', { textContent: entry.title }),
          make('small', { textContent: entry.place }),
        );
        button.addEventListener('click', () => {
          close();
          goTo(entry);
        });
        return make('li', {}, button);
      }),
    );
    if (results.length === 0) list.append(make('li', { className: 'none', textContent: 'Nothing found.' }));
  };
  const step = (by) => {
    const stops = [field, ...list.querySelectorAll('button')];
    const next = stops[stops.indexOf(document.activeElement) + by];
    next?.focus();
  };
  field.addEventListener('input', show);
  field.addEventListener('focus', () => field.value !== '' && show());
  box.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') step(1);
    else if (event.key === 'ArrowUp') step(-1);
    else if (event.key === 'Enter' && event.target === field) list.querySelector('button')?.click();
    else if (event.key === 'Escape') {
      field.focus();
      close();
    } else return;
    event.preventDefault();
  });
  box.addEventListener('focusout', ({ relatedTarget }) => {
    if (!box.contains(relatedTarget)) close();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.closest('input, textarea')) return;
    event.preventDefault();
    field.focus();
  });
  header.querySelector('.about').after(box);
}

document.addEventListener('DOMContentLoaded', () => {
  const header = document.querySelector('header');
  document.body.append(news);
  nameDeployment();
  addCopyButtons();
  addLanguageChoice();
  addSearch(header);
  addSchemeSwitch(header);
  // The elements added above have moved the target of the fragment.
  if (location.hash.length > 1) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
});
