// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Test} from "forge-std/Test.sol";
import {TestUSDG} from "../src/local/TestUSDG.sol";
import {Vault} from "../src/Vault.sol";
import {VaultTest} from "./VaultTest.sol";

/// Plays every party: players deposit, bet and withdraw, the house funds the vault and withdraws its share.
/// Counts the chips like the service's ledgers, so that tests can compare the vault with them.
contract Everybody is VaultTest {
    uint256 private constant PLAYERS = 3;

    address[2] public tokens;
    address[3] public players;
    uint256[3] private keys;

    /// The chips that the ledgers owe each player.
    mapping(address token => mapping(address player => uint256)) public chips;
    mapping(address token => int256) public houseResult;
    mapping(address token => uint256) public putIn;
    mapping(address token => uint256) public paidOut;
    mapping(address token => uint256) public strays;
    mapping(address player => mapping(uint256 nonce => uint256)) public paymentsOf;
    mapping(address player => uint256) public burns;
    uint256 public forgeries;
    uint256 public withdrawals;
    uint256 public houseWithdrawals;

    /// When the next relayer was announced, in unix seconds.
    uint256 private announcedAt;

    /// The latest withdrawal paid, to be replayed.
    struct Paid {
        address player;
        address token;
        uint256 amount;
        uint256 nonce;
        bytes signature;
    }

    Paid private last;

    constructor() {
        setUp();
        tokens = [ETH, address(usdg)];
        for (uint256 i = 0; i < PLAYERS; i++) {
            (players[i], keys[i]) = makeAddrAndKey(string.concat("player", vm.toString(i)));
            give(players[i], 1e30, 1e30);
        }
        give(owner, 1e30, 1e30);
    }

    function vault_() external view returns (Vault) {
        return vault;
    }

    function relayer_() external view returns (address) {
        return relayer;
    }

    function balance(address token) external view returns (uint256) {
        return balanceOf(address(vault), token);
    }

    function owed(address token) public view returns (uint256 sum) {
        for (uint256 i = 0; i < PLAYERS; i++) sum += chips[token][players[i]];
    }

    function deposit(uint256 who, uint256 which, uint96 amount) external {
        (address from, address token) = (players[who % PLAYERS], tokens[which % 2]);
        if (amount == 0) return;
        depositAs(from, token, amount);
        chips[token][from] += amount;
        putIn[token] += amount;
    }

    function fund(uint256 which, uint96 amount) external {
        address token = tokens[which % 2];
        if (amount == 0) return;
        fundAs(owner, token, amount);
        putIn[token] += amount;
    }

    /// Settles a bet: the house wins the stake, or pays the same amount if the vault holds it.
    function bet(uint256 who, uint256 which, uint96 amount, bool isWon) external {
        (address from, address token) = (players[who % PLAYERS], tokens[which % 2]);
        uint256 stake = bound(amount, 0, chips[token][from]);
        if (isWon && owed(token) + stake > vault.holdings(token)) return;
        chips[token][from] = isWon ? chips[token][from] + stake : chips[token][from] - stake;
        houseResult[token] += isWon ? -int256(stake) : int256(stake);
    }

    function withdraw(uint256 who, uint256 which, uint96 amount) external {
        (address from, address token) = (players[who % PLAYERS], tokens[which % 2]);
        uint256 paid = bound(amount, 0, chips[token][from]);
        if (paid == 0) return;
        uint256 nonce = vault.nonces(from);
        uint256 before = balanceOf(from, token);
        withdrawAs(from, keys[who % PLAYERS], token, paid);
        assertEq(balanceOf(from, token) - before, paid);
        chips[token][from] -= paid;
        paidOut[token] += paid;
        paymentsOf[from][nonce]++;
        withdrawals++;
        last = Paid(from, token, paid, nonce, sign(keys[who % PLAYERS], digest(from, token, paid, nonce)));
    }

    /// Replays the latest withdrawal, and counts a payment if the vault doesn't refuse it.
    function replay() external {
        if (last.amount == 0) return;
        vm.prank(relayer);
        try vault.withdraw(last.player, last.token, last.amount, last.nonce, last.signature) {
            paidOut[last.token] += last.amount;
            paymentsOf[last.player][last.nonce]++;
        } catch {}
    }

    function forge(uint256 who, uint256 which, uint96 amount) external {
        (address from, address token) = (players[who % PLAYERS], tokens[which % 2]);
        uint256 nonce = vault.nonces(from);
        uint256 wanted = bound(amount, 0, vault.holdings(token));
        bytes memory signature = sign(keys[(who % PLAYERS + 1) % PLAYERS], digest(from, token, wanted, nonce));
        vm.prank(relayer);
        try vault.withdraw(from, token, wanted, nonce, signature) {
            paidOut[token] += wanted;
            forgeries++;
        } catch {}
    }

    function overdraw(uint256 who, uint256 which, uint96 amount) external {
        (address from, address token) = (players[who % PLAYERS], tokens[which % 2]);
        uint256 nonce = vault.nonces(from);
        uint256 wanted = vault.holdings(token) + 1 + amount;
        bytes memory signature = sign(keys[who % PLAYERS], digest(from, token, wanted, nonce));
        vm.prank(relayer);
        try vault.withdraw(from, token, wanted, nonce, signature) {
            paidOut[token] += wanted;
            paymentsOf[from][nonce]++;
        } catch {}
    }

    function takePlayersMoney(uint256 which, uint96 amount) external {
        address token = tokens[which % 2];
        vm.prank(relayer);
        vault.recordHouseResult(token, houseResult[token]);
        uint256 wanted = vault.houseFunds(token) + 1 + amount;
        vm.prank(owner);
        try vault.withdrawHouse(token, wanted, owner) {
            paidOut[token] += wanted;
        } catch {}
    }

    function burn(uint256 who) external {
        address from = players[who % PLAYERS];
        uint256 nonce = vault.nonces(from);
        vm.prank(relayer);
        vault.burnNonce(from, nonce);
        burns[from]++;
    }

    /// Records the true result as the relayer, then withdraws as the owner what the vault allows.
    function takeHouseShare(uint256 which, uint96 amount) external {
        address token = tokens[which % 2];
        vm.prank(relayer);
        vault.recordHouseResult(token, houseResult[token]);
        uint256 paid = bound(amount, 0, vault.houseFunds(token));
        if (paid == 0) return;
        vm.prank(owner);
        vault.withdrawHouse(token, paid, owner);
        paidOut[token] += paid;
        houseWithdrawals++;
    }

    function announce(uint256 which) external {
        vm.prank(owner);
        vault.announceRelayer(makeAddr(which % 2 == 0 ? "relayer" : "other relayer"));
        announcedAt = block.timestamp;
    }

    /// Waits, then tries to take over as the announced relayer, which must work from two to nine days after the
    /// announcement, and at no other time.
    function takeOver(uint256 wait) external {
        skip(bound(wait, 0, 4 days));
        address next = vault.nextRelayer();
        if (next == address(0)) return;
        vm.prank(next);
        try vault.takeOverAsRelayer() {
            relayer = next;
        } catch {
            next = address(0);
        }
        uint256 waited = block.timestamp - announcedAt;
        assertEq(next != address(0), waited >= 2 days && waited <= 9 days);
    }

    /// Sends tokens to the vault without a deposit.
    function stray(uint256 which, uint96 amount) external {
        address token = tokens[which % 2];
        if (token == ETH) {
            vm.deal(address(vault), address(vault).balance + amount);
        } else {
            vm.prank(owner);
            require(usdg.transfer(address(vault), amount));
        }
        strays[token] += amount;
    }
}

contract VaultInvariantTest is Test {
    Everybody private everybody;
    Vault private vault;

    function setUp() public {
        everybody = new Everybody();
        vault = everybody.vault_();
        bytes4[] memory selectors = new bytes4[](13);
        selectors[0] = Everybody.deposit.selector;
        selectors[1] = Everybody.fund.selector;
        selectors[2] = Everybody.bet.selector;
        selectors[3] = Everybody.withdraw.selector;
        selectors[4] = Everybody.burn.selector;
        selectors[5] = Everybody.takeHouseShare.selector;
        selectors[6] = Everybody.stray.selector;
        selectors[7] = Everybody.replay.selector;
        selectors[8] = Everybody.forge.selector;
        selectors[9] = Everybody.overdraw.selector;
        selectors[10] = Everybody.takePlayersMoney.selector;
        selectors[11] = Everybody.announce.selector;
        selectors[12] = Everybody.takeOver.selector;
        targetSelector(FuzzSelector(address(everybody), selectors));
        targetContract(address(everybody));
    }

    function invariant_no_more_is_paid_than_was_received() public view {
        for (uint256 i = 0; i < 2; i++) {
            address token = everybody.tokens(i);
            assertLe(everybody.paidOut(token), everybody.putIn(token));
            assertEq(vault.holdings(token), everybody.putIn(token) - everybody.paidOut(token));
            assertEq(everybody.balance(token), vault.holdings(token) + everybody.strays(token));
        }
    }

    function invariant_no_nonce_is_paid_twice() public view {
        for (uint256 i = 0; i < 3; i++) {
            address player = everybody.players(i);
            uint256 next = vault.nonces(player);
            uint256 paid;
            for (uint256 nonce = 0; nonce < next; nonce++) {
                assertLe(everybody.paymentsOf(player, nonce), 1);
                paid += everybody.paymentsOf(player, nonce);
            }
            assertEq(paid + everybody.burns(player), next);
        }
    }

    function invariant_a_relayer_changes_by_its_own_takeover_only() public view {
        assertEq(vault.relayer(), everybody.relayer_());
    }

    function invariant_no_payment_uses_another_players_signature() public view {
        assertEq(everybody.forgeries(), 0);
    }

    function invariant_the_vault_always_holds_what_players_are_owed() public view {
        for (uint256 i = 0; i < 2; i++) {
            address token = everybody.tokens(i);
            assertGe(vault.holdings(token), everybody.owed(token));
        }
    }

    function invariant_players_money_never_counts_as_the_houses() public {
        for (uint256 i = 0; i < 2; i++) {
            address token = everybody.tokens(i);
            (address relayer, int256 result) = (vault.relayer(), everybody.houseResult(token));
            vm.prank(relayer);
            vault.recordHouseResult(token, result);
            assertEq(vault.houseFunds(token), vault.holdings(token) - everybody.owed(token));
        }
    }
}
