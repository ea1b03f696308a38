// npm run release -- VERSION: names the version in package.json and CHANGELOG.md, commits, and tags the commit. It
// pushes nothing.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const fail = (text) => {
  process.stderr.write(`${text}\n`);
  process.exit(1);
};
const git = (...words) => execFileSync('git', words, { encoding: 'utf8' }).trim();

const [version = ''] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) fail('usage: npm run release -- 1.2.3');
if (git('status', '--porcelain') !== '') fail('there are changes that are not committed');
if (git('tag', '--list', `v${version}`) !== '') fail(`tag v${version} exists`);
const log = readFileSync('CHANGELOG.md', 'utf8');
const heading = '## Unreleased\n';
if (!log.includes(`${heading}\n- `)) fail('CHANGELOG.md has nothing under "Unreleased"');

const date = new Date().toISOString().slice(0, 10);
writeFileSync('CHANGELOG.md', log.replace(heading, `${heading}\n## ${version} (${date})\n`));
execFileSync('npm', ['version', version, '--no-git-tag-version'], { stdio: 'inherit' });
git('commit', '-am', `Release ${version}`);
git('tag', '-a', `v${version}`, '-m', `Skein ${version}`);
process.stdout.write(`tagged v${version}; now: .ci/run, git push --follow-tags, npm publish\n`);
