#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# checkelf.sh FILE: whether a linked bare-metal program can run on the overlay. Makefiles of Tinsel applications call it
# between the linker and objcopy. Prints one line a problem and ends with status 1 if there is one; else prints nothing.
#   - a linked RV32 program;
#   - sections that take memory: .text in instruction memory, behind the boot image; all others where threads load and
#     store; code in no section but .text, the only one that code.v is made of; no constructors, which no one runs;
#   - no instruction that the overlay does not have.
# It cannot see misaligned accesses, or jumps to nowhere: those stop the program with a message when it runs.
set -u
problem() { printf 'checkelf.sh: %s: %s\n' "$file" "$*" >&2; }
[ $# -eq 1 ] || { echo "usage: checkelf.sh FILE" >&2; exit 1; }
file=$1
tools=${RV_PREFIX:-riscv64-unknown-elf-}
for tool in "${tools}readelf" "${tools}objdump"; do
  command -v "$tool" >/dev/null || { problem "no $tool: install the Debian package binutils-riscv64-unknown-elf"; exit 1; }
done
python=$(command -v python3 || command -v python) || { problem "no python3 to read the machine's parameters"; exit 1; }
parameters=$("$python" "$(dirname "$(readlink -f "$0")")/../config.py" envs) || exit 1
eval "$parameters"

header=$("${tools}readelf" -hW -- "$file" 2>&1) || { problem "cannot be read as an ELF file"; exit 1; }
case $header in
  *ELF32*EXEC*RISC-V*) ;;
  *) problem "is no linked RV32 program; build it with -march=rv32imf and the linker's -melf32lriscv"; exit 1 ;;
esac

# One line a section that takes memory: name, address and size in hexadecimal, flags.
sections=$("${tools}readelf" -SW -- "$file" | sed -n 's/^ *\[ *[0-9]*\] *//p' | awk '$7 ~ /A/ {print $1, $3, $5, $7}')
status=0
bad() { problem "$@"; status=1; }
while read -r name address size flags; do
  [ -n "$name" ] || continue
  first=$((0x$address)) end=$((0x$address + 0x$size))
  [ "$end" -gt "$first" ] || continue
  case $name in
    .init_array* | .ctors* | .preinit_array*)
      bad "section $name: no one runs constructors; initialise in main()"
      continue
      ;;
  esac
  case $flags in
    *X*)
      if [ "$name" != .text ]; then
        bad "section $name holds code, but code.v is made of .text alone; let the linker script gather it there"
      elif [ "$first" -lt "$MaxBootImageBytes" ] || [ "$end" -gt $((4 * InstrsPerCore)) ]; then
        bad "its code takes bytes $first to $end: instruction memory has $((4 * InstrsPerCore)), and the first" \
          "$MaxBootImageBytes are the boot image's"
      fi
      ;;
    *)
      if [ "$first" -lt $((SRAMBase)) ] || [ "$end" -gt $((0x80000000)) ]; then
        bad "section $name at 0x$address of 0x$size bytes: data lies in SRAM (from $SRAMBase on) or DRAM (from $DRAMBase on)"
      fi
      ;;
  esac
done <<SECTIONS
$sections
SECTIONS

missing='ecall|ebreak|fence\.i|wfi|[msu]ret|sfence\.vma|(lr|sc|amo[a-z]*)\.[wd](\.(aq|rl|aqrl))?|f[a-z0-9.]*\.d(\.[a-z]+)?|fld|fsd'
found=$("${tools}objdump" -d --no-show-raw-insn -j .text -- "$file" 2>/dev/null |
  awk -F '\t' -v missing="^($missing)\$" '$2 ~ missing {sub(/^ */, "", $1); print $2 " at " $1; if (++n == 5) exit}')
[ -z "$found" ] || bad "instructions that the overlay does not have: $(printf '%s' "$found" | tr -d ':' | paste -sd ';' -)"
exit $status
