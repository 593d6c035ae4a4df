"""Completion scripts for shells, made from the argument parser. They start no Python."""

from __future__ import annotations

import argparse
from typing import Any

SHELLS = ("bash", "zsh", "fish")

HOW_TO = (
    'bash: eval "$(infwalk completion bash)" in ~/.bashrc',
    "zsh: the same with zsh in ~/.zshrc, after compinit",
    "fish: infwalk completion fish > ~/.config/fish/completions/infwalk.fish",
)

_BASH = """\
_infwalk() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} words=
    local command=${{COMP_WORDS[1]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
    if [[ $COMP_CWORD == 1 ]]; then
        words="{commands}"
    else
        case "$command $previous" in
            {values}
            *) if [[ $current == -* ]]; then
                case $command in
                    {options}
                esac
            fi ;;
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _infwalk infwalk"""

_ZSH = "autoload -U +X bashcompinit && bashcompinit\n"


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return a script that completes the commands, options and choices of a parser."""
    commands = _commands(parser)
    if shell == "fish":
        return _fish(commands)
    options = [f'{name}) words="{_join(_flags(c))}" ;;' for name, c in commands.items()]
    values = [
        f'{_patterns(name, action)}) words="{_join(action.choices)}" ;;'
        for name, command in commands.items()
        for action in command._actions
        if action.choices
    ]
    text = _BASH.format(
        commands=_join(commands),
        values="\n            ".join(values),
        options="\n                    ".join(options),
    )
    return _ZSH + text if shell == "zsh" else text


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    (commands,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return dict(commands.choices)


def _flags(command: argparse.ArgumentParser) -> list[str]:
    return [flag for action in command._actions for flag in action.option_strings]


def _patterns(name: str, action: argparse.Action) -> str:
    """Return after which words of a line the choices of an argument come."""
    return "|".join(f'"{name} {word}"' for word in action.option_strings or [name])


def _join(words: Any) -> str:
    return " ".join(words)


def _fish(commands: dict[str, argparse.ArgumentParser]) -> str:
    lines = [f"complete -c infwalk -n __fish_use_subcommand -f -a '{_join(commands)}'"]
    for name, command in commands.items():
        begin = f"complete -c infwalk -n '__fish_seen_subcommand_from {name}'"
        for action in command._actions:
            flags = [_fish_flag(flag) for flag in action.option_strings]
            if action.nargs != 0 and flags:
                flags.append("-r")
            if action.choices:
                flags.append(f"-f -a '{_join(action.choices)}'")
            if flags:
                lines.append(_join([begin, *flags]))
    return "\n".join(lines)


def _fish_flag(flag: str) -> str:
    return f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"
