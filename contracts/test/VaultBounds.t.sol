// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {Vault} from "../src/Vault.sol";
import {VaultTest} from "./VaultTest.sol";

/// A contract wallet that accepts any signature and uses a given amount of gas.
contract CostlyWallet is IERC1271 {
    uint256 private immutable SIGNATURE_COST;
    uint256 private immutable RECEIVE_COST;

    /// The gas that the latest payment came with.
    uint256 public gasToReceive;

    constructor(uint256 signatureCost, uint256 receiveCost) {
        (SIGNATURE_COST, RECEIVE_COST) = (signatureCost, receiveCost);
    }

    receive() external payable {
        uint256 start = gasleft();
        gasToReceive = start;
        _use(start, RECEIVE_COST);
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        _use(gasleft(), SIGNATURE_COST);
        return IERC1271.isValidSignature.selector;
    }

    function _use(uint256 start, uint256 cost) private view {
        while (start - gasleft() < cost) {}
    }
}

/// A contract wallet that loops until its gas is almost used up, and then behaves.
contract LoopWallet is IERC1271 {
    receive() external payable {
        _loop();
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        _loop();
        return IERC1271.isValidSignature.selector;
    }

    function _loop() private view {
        while (gasleft() > 1_000) {}
    }
}

/// Bounds on what a player's code, a relayer with too little gas, and a stolen relayer key can do.
contract VaultBoundsTest is VaultTest {
    function setUp() public override {
        super.setUp();
        depositAs(player, ETH, 100 ether);
    }

    function payTo(address wallet, uint256 gasLimit) private returns (bool isPaid, bytes memory problem) {
        bytes memory call = abi.encodeCall(Vault.withdraw, (wallet, ETH, 1 ether, vault.nonces(wallet), ""));
        vm.prank(relayer);
        return address(vault).call{gas: gasLimit}(call);
    }

    function test_a_looping_wallet_costs_the_relayer_at_most_the_gas_bounds() public {
        address wallet = address(new LoopWallet());
        for (uint256 i = 0; i < 10; i++) {
            uint256 start = gasleft();
            (bool isPaid,) = payTo(wallet, 30_000_000);
            assertTrue(isPaid);
            assertLt(start - gasleft(), 400_000 + 60_000 + 90_000);
        }
        assertEq(wallet.balance, 10 ether);
    }

    function test_a_passkey_wallet_that_keeps_its_own_books_is_paid() public {
        address wallet = address(new CostlyWallet(350_000, 30_000));
        (bool isPaid,) = payTo(wallet, 700_000);
        assertTrue(isPaid);
        assertEq(wallet.balance, 1 ether);
    }

    function test_a_signature_check_above_its_gas_bound_is_refused() public {
        address wallet = address(new CostlyWallet(401_000, 0));
        (bool isPaid, bytes memory problem) = payTo(wallet, 2_000_000);
        assertFalse(isPaid);
        assertEq(problem, abi.encodePacked(Vault.WrongSignature.selector));
        assertEq(vault.nonces(wallet), 0);
    }

    function test_a_receiver_above_its_gas_bound_is_refused() public {
        address wallet = address(new CostlyWallet(0, 61_000));
        (bool isPaid, bytes memory problem) = payTo(wallet, 2_000_000);
        assertFalse(isPaid);
        assertEq(problem, abi.encodePacked(Vault.TransferFailed.selector));
        assertEq(vault.nonces(wallet), 0);
    }

    function test_an_ERC_1271_answer_shorter_than_a_word_is_refused() public {
        expectAnswerRefused("");
        expectAnswerRefused(abi.encodePacked(IERC1271.isValidSignature.selector));
        expectAnswerRefused(abi.encodePacked(IERC1271.isValidSignature.selector, new bytes(27)));
    }

    function test_an_ERC_1271_answer_is_refused_if_only_its_first_four_bytes_match() public {
        expectAnswerRefused(abi.encodePacked(IERC1271.isValidSignature.selector, new bytes(27), uint8(1)));
    }

    /// Expects a wallet that answers the signature check with `answer` not to be paid. Its address is mostly zeros: the
    /// answer overwrites the address in the vault's memory, where the remaining zeros could complete a short answer.
    function expectAnswerRefused(bytes memory answer) private {
        address wallet = address(uint160(0xaa) << 152);
        vm.etch(wallet, address(new CostlyWallet(0, 0)).code);
        vm.mockCall(wallet, abi.encodeWithSelector(IERC1271.isValidSignature.selector), answer);
        vm.prank(relayer);
        vm.expectRevert(Vault.WrongSignature.selector);
        vault.withdraw(wallet, ETH, 1 ether, 0, "");
    }

    function test_an_account_without_code_needs_no_receive_gas() public {
        bytes memory signature = sign(playerKey, digest(player, ETH, 1 ether, 0));
        vm.prank(relayer);
        vault.withdraw{gas: 100_000}(player, ETH, 1 ether, 0, signature);
        assertEq(vault.nonces(player), 1);
    }

    /// Whatever the gas of a transaction, an honest wallet either gets its full allowance and is paid, or the
    /// transaction reverts without blaming its signature or its receiver.
    function testFuzz_too_little_gas_never_changes_a_wallets_answer(
        uint256 gasLimit,
        uint256 signatureCost,
        uint256 receiveCost
    ) public {
        CostlyWallet wallet = new CostlyWallet(bound(signatureCost, 0, 395_000), bound(receiveCost, 0, 30_000));
        (bool isPaid, bytes memory problem) = payTo(address(wallet), bound(gasLimit, 30_000, 900_000));
        assertEq(address(wallet).balance, isPaid ? 1 ether : 0);
        assertEq(vault.nonces(address(wallet)), isPaid ? 1 : 0);
        if (isPaid) {
            assertGt(wallet.gasToReceive(), 59_000);
        } else {
            // An empty revert means that the vault itself ran out of gas.
            assertTrue(problem.length == 0 || bytes4(problem) == Vault.TooLittleGas.selector);
        }
    }

    function testFuzz_with_enough_gas_every_wallet_within_bounds_is_paid(
        uint256 signatureCost,
        uint256 receiveCost
    ) public {
        CostlyWallet wallet = new CostlyWallet(bound(signatureCost, 0, 395_000), bound(receiveCost, 0, 30_000));
        (bool isPaid,) = payTo(address(wallet), 700_000);
        assertTrue(isPaid);
    }

    function test_while_paused_the_relayer_can_burn_one_nonce_per_player() public {
        address other = makeAddr("other");
        vm.prank(owner);
        vault.pause();
        vm.startPrank(relayer);
        vault.burnNonce(player, 0);
        vm.expectRevert(Vault.AlreadyBurnedInPause.selector);
        vault.burnNonce(player, 1);
        vault.burnNonce(other, 0);
        skip(365 days);
        vm.expectRevert(Vault.AlreadyBurnedInPause.selector);
        vault.burnNonce(player, 1);
        vm.stopPrank();
        assertEq(vault.nonces(player), 1);
    }

    function test_the_next_pause_allows_one_more_burn_and_an_unpaused_vault_any_number() public {
        for (uint256 i = 0; i < 2; i++) {
            vm.prank(owner);
            vault.pause();
            vm.startPrank(relayer);
            vault.burnNonce(player, 3 * i);
            vm.expectRevert(Vault.AlreadyBurnedInPause.selector);
            vault.burnNonce(player, 3 * i + 1);
            vm.stopPrank();
            vm.prank(owner);
            vault.unpause();
            vm.startPrank(relayer);
            vault.burnNonce(player, 3 * i + 1);
            vault.burnNonce(player, 3 * i + 2);
            vm.stopPrank();
        }
        assertEq(vault.nonces(player), 6);
        assertEq(vault.pauses(), 2);
    }
}
